// SPDX-License-Identifier: GPL-2.0-only
/* Asks what Linux answers in a way of its own. The same text comes from a Linux host, run as root in an empty directory. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* The call, and what it returned, or why it failed. */
#define ASK(call)							\
	do {								\
		errno = 0;						\
		long result = (long)(call);				\
		if (result == -1)					\
			printf("%s: %s\n", #call, strerrorname_np(errno));\
		else							\
			printf("%s: %ld\n", #call, result);		\
	} while (0)

static char buf[100];
static struct stat st;

static void put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	fputs(text, f);
	fclose(f);
}

static void path_files(void)
{
	int fd, again;

	put("f", "hello");
	mkdir("d", 0755);
	symlink("f", "link");
	fd = open("f", O_PATH);
	ASK(read(fd, buf, 1));
	ASK(lseek(fd, 0, SEEK_SET));
	ASK(ftruncate(fd, 0));
	ASK(fchmod(fd, 0600));
	ASK(fcntl(fd, F_SETFL, O_APPEND));
	ASK(fcntl(fd, F_GETFD));
	ASK(mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED);
	ASK(fstat(fd, &st));
	ASK(st.st_size);
	again = dup(fd);
	sprintf(buf, "/proc/self/fd/%d", again);
	fd = open(buf, O_RDONLY);
	ASK(read(fd, buf, 100));
	fd = open("link", O_PATH | O_NOFOLLOW);
	ASK(fstat(fd, &st));
	ASK(S_ISLNK(st.st_mode));
	ASK(readlinkat(fd, "", buf, 100));
	fd = open("d", O_PATH | O_CREAT | O_TRUNC);
	ASK(openat(fd, "../f", O_WRONLY | O_EXCL) > 0);
	ASK(fchdir(fd));
	ASK(chdir(".."));
	ASK(open("nope", O_PATH | O_CREAT, 0600));
	ASK(open("f", O_PATH | O_DIRECTORY));
	ASK(open(".", O_CREAT | O_EXCL | O_RDWR, 0600));
}

static void directories(void)
{
	int fd = open("d", O_RDONLY), neither = open("d", O_ACCMODE | O_DIRECTORY);

	ASK(read(fd, buf, 1));
	ASK(read(fd, buf, 0));
	ASK(read(fd, (void *)-1, 1));
	ASK(pread(fd, buf, 1, -1));
	ASK(readv(fd, NULL, 0));
	ASK(readv(fd, &(struct iovec){ buf, 1 }, 1));
	ASK(write(fd, buf, 1));
	ASK(read(neither, buf, 1));
	close(neither);
	close(fd);
}

static void positions(void)
{
	struct iovec two[2] = { { buf, 3 }, { buf + 10, 3 } };
	int fd = open("f", O_RDWR), p[2];
	struct statfs fs;

	ASK(lseek(fd, 2, SEEK_DATA));
	ASK(lseek(fd, 2, SEEK_HOLE));
	ASK(lseek(fd, 5, SEEK_DATA));
	ASK(lseek(fd, 5, SEEK_HOLE));
	ASK(lseek(fd, -1, SEEK_HOLE));
	ASK(lseek(fd, 0x7fffffffffffffff, SEEK_END));
	ASK(lseek(fd, 0x123456789, SEEK_SET) == 0x123456789);
	ASK(pread(fd, buf, 2, 0x7fffffffffffffff));
	ASK(pwritev(fd, &(struct iovec){ "abcdef", 6 }, 1, 2));
	ASK(preadv(fd, two, 2, 1));
	printf("%.3s %.3s\n", buf, buf + 10);
	ASK(preadv(fd, two, 2, -1));
	pipe(p);
	ASK(preadv(p[0], two, 2, 0));
	ASK(statfs(".", &fs));
	ASK(fs.f_namelen);
}

static void requests(void)
{
	int fd = open("f", O_RDONLY), p[2], n = -1;
	struct pollfd poll_fd;
	char *end;

	lseek(fd, 3, SEEK_SET);
	ASK(ioctl(fd, FIONREAD, &n));
	ASK(n);
	pipe(p);
	write(p[1], "0123456789", 10);
	ASK(ioctl(p[0], FIONREAD, &n));
	ASK(n);
	ASK(ioctl(p[0], FIOCLEX));
	ASK(fcntl(p[0], F_GETFD));
	ASK(ioctl(p[0], FIONCLEX));
	ASK(fcntl(p[0], F_GETFD));
	ASK(fcntl(p[0], F_GETPIPE_SZ) / getpagesize());
	ASK(fcntl(fd, F_GETPIPE_SZ));
	/* Nothing is lost where there is no room for it. */
	end = mmap(NULL, 2 * getpagesize(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	end += getpagesize();
	munmap(end, getpagesize());
	ASK(read(p[0], end - 4, 10));
	ASK(ioctl(p[0], FIONBIO, &(int){ 1 }));
	ASK(read(p[0], buf, 100));
	ASK(read(p[0], buf, 100));
	/* Nobody has hung up who was never there. */
	mkfifo("fifo", 0600);
	poll_fd.fd = open("fifo", O_RDONLY | O_NONBLOCK);
	poll_fd.events = POLLIN;
	ASK(poll(&poll_fd, 1, 0));
	close(open("fifo", O_WRONLY));
	ASK(poll(&poll_fd, 1, 0));
	ASK(poll_fd.revents == POLLHUP);
}

static void names(void)
{
	put("a", "a");
	put("b", "b");
	ASK(renameat2(AT_FDCWD, "a", AT_FDCWD, "b", RENAME_NOREPLACE));
	ASK(renameat2(AT_FDCWD, "a", AT_FDCWD, "c", RENAME_NOREPLACE));
	ASK(renameat2(AT_FDCWD, "c", AT_FDCWD, "c", RENAME_NOREPLACE));
	ASK(renameat2(AT_FDCWD, "c", AT_FDCWD, ".", RENAME_NOREPLACE));
	ASK(renameat2(AT_FDCWD, "c", AT_FDCWD, "a", 1 << 10));
	chmod("c", 06755);
	ASK(chown("c", 1, -1));
	stat("c", &st);
	printf("%o\n", st.st_mode);
	chmod("c", 06745);
	ASK(chown("c", 0, 0));
	stat("c", &st);
	printf("%o\n", st.st_mode);
}

static void memory(void)
{
	int fd = open("/dev/zero", O_RDWR);
	char *mine = mmap(NULL, 10, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	char *ours = mmap(NULL, 10, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (!fork()) {
		*mine = *ours = 7;
		_exit(0);
	}
	wait(NULL);
	ASK(*mine);
	ASK(*ours);
	ASK(mmap(NULL, -1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

static int call(int (*function)(int), int value)
{
	return function(value);
}

/* Where a nested function is called by its address, its code is on the stack. */
static void code_on_the_stack(int add)
{
	int nested(int value)
	{
		return value + add;
	}

	ASK(call(nested, 40));
}

static void limits(void)
{
	int fd = open("small", O_RDWR | O_CREAT, 0600), status;

	if (!fork()) {
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 10, 10 });
		if (write(fd, buf, 100) != 10)
			_exit(1);
		write(fd, buf, 1);
		_exit(2);
	}
	wait(&status);
	ASK(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
	if (!fork()) {
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 10, 10 });
		if (write(fd, buf, 1) != -1 || errno != EFBIG)
			_exit(1);
		if (ftruncate(fd, 11) != -1 || errno != EFBIG)
			_exit(2);
		_exit(ftruncate(fd, 5) || pwrite(fd, buf, 3, 9) != 1 ? 3 : 0);
	}
	wait(&status);
	ASK(status);
	ASK(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	ASK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	if (!fork()) {
		ASK(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
		_exit(0);
	}
	wait(NULL);
}

int main(void)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	path_files();
	directories();
	positions();
	requests();
	names();
	memory();
	code_on_the_stack(2);
	limits();
	return 0;
}
