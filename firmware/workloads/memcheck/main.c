/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * memcheck: what programs may expect of their memory, tried out. Prints what
 * is not so, and how many checks there were.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <syscall.h>
#include <unistd.h>
#include "memcheck.h"


/* The kernel, on our behalf, may do what we may. */
static void check_kernel_access(void)
{
	char *p = map(3, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	int fds[2];

	if (pipe(fds) < 0)
		err(2, "cannot make a pipe");
	memset(p, 'a', 3 * PAGE);
	mprotect(p + PAGE, PAGE, PROT_READ);
	write(fds[1], "xyz", 3);
	check(read(fds[0], p + PAGE, 3) < 0 && errno == EFAULT,
	      "read() into read-only memory");
	check(p[PAGE] == 'a', "read-only memory was written");
	check(write(fds[1], p + PAGE, 4) == 4, "write() from read-only memory");
	mprotect(p + PAGE, PAGE, PROT_NONE);
	check(write(fds[1], p + PAGE, 4) < 0 && errno == EFAULT,
	      "write() from memory without rights");
	check(read(fds[0], p + PAGE, 3) < 0 && errno == EFAULT,
	      "read() into memory without rights");
	check(child_touches(p + PAGE, false) == SIGSEGV,
	      "reading memory without rights");
	mprotect(p + PAGE, PAGE, PROT_READ | PROT_WRITE);
	check(p[PAGE] == 'a', "contents after mprotect() there and back");
	munmap(p + PAGE, PAGE);
	check(read(fds[0], p + PAGE, 1) < 0 && errno == EFAULT,
	      "read() into nothing");
	check(child_touches(p + PAGE, true) == SIGSEGV, "writing to nothing");
	check(!child_touches(p + 2 * PAGE, true), "what lies behind the hole");
	munmap(p, PAGE);
	munmap(p + 2 * PAGE, PAGE);
	close(fds[0]);
	close(fds[1]);
}

static void check_private(void)
{
	char *p = map(4, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	int status;
	pid_t pid;

	check(p[PAGE] == 0, "new memory is zero");
	p[0] = 1;
	pid = fork();
	if (pid == 0) {
		p[0] = 2;
		p[PAGE] = 3;
		_exit(p[0] + p[PAGE] == 5 ? 0 : 1);
	}
	check(waitpid(pid, &status, 0) == pid && !status, "copy on write");
	check(p[0] == 1 && p[PAGE] == 0, "a child's writes are its own");
	check(!call(SYS_madvise, (long)p, PAGE, MADV_DONTNEED, 0) && !p[0],
	      "MADV_DONTNEED");
	check(call(SYS_madvise, (long)p + 1, PAGE, MADV_DONTNEED, 0) == -EINVAL,
	      "MADV_DONTNEED of half a page");
	munmap(p + 3 * PAGE, PAGE);
	check(call(SYS_madvise, (long)p, 4 * PAGE, MADV_DONTNEED, 0) == -ENOMEM,
	      "MADV_DONTNEED of nothing");
	munmap(p, 3 * PAGE);
}

static void check_shared(void)
{
	char *p = map(2, PROT_READ | PROT_WRITE, MAP_SHARED);
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		p[PAGE] = 7;
		_exit(0);
	}
	check(waitpid(pid, &status, 0) == pid && p[PAGE] == 7,
	      "shared memory is shared");
	munmap(p, 2 * PAGE);
}

static void check_file(void)
{
	int fd = open("/memcheck.tmp", O_RDWR | O_CREAT | O_TRUNC, 0600);
	char *shared, *private, c;

	if (fd < 0 || ftruncate(fd, PAGE + 100) < 0)
		err(2, "/memcheck.tmp");
	shared = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		      0);
	private = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd,
		       0);
	if (shared == MAP_FAILED || private == MAP_FAILED)
		err(2, "cannot map a file");
	shared[5] = 'x';
	check(private[5] == 'x', "a private mapping shows the file");
	private[5] = 'y';
	check(shared[5] == 'x', "a private mapping leaves the file alone");
	check(pread(fd, &c, 1, 5) == 1 && c == 'x', "read() after a store");
	check(pwrite(fd, "z", 1, 6) == 1 && shared[6] == 'z',
	      "a load after write()");
	check(shared[PAGE + 100] == 0, "zeroes behind the file's end");
	check(child_touches(shared + 3 * PAGE, false) == SIGBUS,
	      "beyond the file's last page");
	check(!call(SYS_msync, (long)shared, PAGE, MS_SYNC, 0), "msync()");
	munmap(shared, 4 * PAGE);
	check(pread(fd, &c, 1, 5) == 1 && c == 'x', "read() after munmap()");
	munmap(private, 2 * PAGE);
	close(fd);
	fd = open("/memcheck.tmp", O_RDONLY);
	check(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) ==
	      MAP_FAILED && errno == EACCES, "writing to what is read-only");
	shared = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	check(mprotect(shared, PAGE, PROT_READ | PROT_WRITE) < 0 &&
	      errno == EACCES, "mprotect() to more than the file allows");
	munmap(shared, PAGE);
	close(fd);
	unlink("/memcheck.tmp");
}

static void check_mremap(void)
{
	char *p = map(2, PROT_READ | PROT_WRITE, MAP_PRIVATE), *q;
	long moved;

	p[0] = 1;
	p[PAGE] = 2;
	moved = call(SYS_mremap, (long)p, 2 * PAGE, 64 * PAGE, MREMAP_MAYMOVE);
	q = (char *)moved;
	check(moved > 0 && q[0] == 1 && q[PAGE] == 2 && q[63 * PAGE] == 0,
	      "mremap() to more");
	if (moved <= 0)
		return;
	q[63 * PAGE] = 3;
	check(call(SYS_mremap, moved, 64 * PAGE, PAGE, 0) == moved &&
	      q[0] == 1, "mremap() to less");
	check(child_touches(q + PAGE, false) == SIGSEGV,
	      "what mremap() has cut off");
	munmap(q, PAGE);
	check(call(SYS_mremap, moved, PAGE, 2 * PAGE, 0) == -EFAULT,
	      "mremap() of nothing");
}

/* A page of the stack for each call; what it holds is needed after the next. */
static int deep(int n)
{
	volatile char frame[4096];
	int wrong;

	frame[0] = n;
	wrong = n ? deep(n - 1) : 0;
	return wrong + (frame[0] != (char)n);
}

static void check_limits(void)
{
	unsigned long limit[2], old[2];
	char *p;
	int status;
	pid_t pid;

	check(deep(256) == 0, "a stack of 1 MiB");
	check(!call(SYS_prlimit64, 0, RLIMIT_STACK, 0, (long)old) &&
	      old[0] == 8 << 20, "the stack's limit");
	pid = fork();
	if (pid == 0) {
		limit[0] = 256 << 10;
		limit[1] = old[1];
		call(SYS_prlimit64, 0, RLIMIT_STACK, (long)limit, 0);
		deep(1024);
		_exit(0);
	}
	check(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) &&
	      WTERMSIG(status) == SIGSEGV, "a stack beyond its limit");
	call(SYS_prlimit64, 0, RLIMIT_AS, 0, (long)old);
	limit[0] = 4 << 20;
	limit[1] = old[1];
	call(SYS_prlimit64, 0, RLIMIT_AS, (long)limit, 0);
	p = mmap(NULL, 8 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check(p == MAP_FAILED && errno == ENOMEM, "mmap() beyond RLIMIT_AS");
	call(SYS_prlimit64, 0, RLIMIT_AS, (long)old, 0);
	check(mmap(NULL, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
	      MAP_FAILED && errno == EINVAL, "mmap() of nothing");
	check(munmap((void *)1, PAGE) < 0 && errno == EINVAL,
	      "munmap() of no page");
	check(mprotect((void *)(PAGE << 20), PAGE, PROT_READ) < 0 &&
	      errno == ENOMEM, "mprotect() of nothing");
}

/*
 * memcheck FILE: stores through a mapping, on a file system to be looked at.
 * memcheck FILE MEGABYTES: through one that may be larger than memory.
 */
int main(int argc, char **argv)
{
	if (argc > 2)
		return sweep(argv[1], atoi(argv[2]));
	if (argc > 1)
		return store_into(argv[1]);
	check_kernel_access();
	check_private();
	check_shared();
	check_file();
	check_mremap();
	check_limits();
	check_areas();
	check_tables();
	check_truncated();
	check_writes();
	check_pointers();
	return report();
}
