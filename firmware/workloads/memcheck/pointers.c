/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls with pointers to where a program has no business: EFAULT. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <syscall.h>
#include <unistd.h>
#include "memcheck.h"

#define BAD	0x7bad0001L	/* stands for the pointer that is tried */
#define HERE	AT_FDCWD

/* What the kernel does with it. */
enum use {
	TEXT,			/* reads up to the byte that is zero */
	READS,			/* a structure */
	WRITES,
	READS_SOME,		/* as much as there is */
	WRITES_SOME,
};

struct attempt {
	const char *name;
	enum use use;
	int nr;
	long arg[6];
};

static char scratch[4096] __attribute__((aligned(16)));
static const char *const argv_of_true[] = { "true", NULL };
static const char *one_bad_string[2];
static struct { void *base; size_t size; } one_bad_buffer = { NULL, 64 };
static int fds[2], full[2], folder;

#define S	(long)scratch
#define ROOT	(long)"/"
#define NOTHING	(long)"/nothing"
#define TRUE	(long)"/bin/true"

static const struct attempt attempts[] = {
	{ "open", TEXT, SYS_openat, { HERE, BAD, O_RDONLY, 0 } },
	{ "open to create", TEXT, SYS_openat, { HERE, BAD, O_CREAT | O_RDWR, 0 } },
	{ "chdir", TEXT, SYS_chdir, { BAD } },
	{ "chroot", TEXT, SYS_chroot, { BAD } },
	{ "truncate", TEXT, SYS_truncate, { BAD, 0 } },
	{ "mkdir", TEXT, SYS_mkdirat, { HERE, BAD, 0700 } },
	{ "unlink", TEXT, SYS_unlinkat, { HERE, BAD, 0 } },
	{ "symlink's text", TEXT, SYS_symlinkat, { BAD, HERE, NOTHING } },
	{ "symlink", TEXT, SYS_symlinkat, { NOTHING, HERE, BAD } },
	{ "link", TEXT, SYS_linkat, { HERE, BAD, HERE, NOTHING, 0 } },
	{ "link to", TEXT, SYS_linkat, { HERE, ROOT, HERE, BAD, 0 } },
	{ "rename", TEXT, SYS_renameat, { HERE, BAD, HERE, NOTHING } },
	{ "rename to", TEXT, SYS_renameat, { HERE, (long)"/none", HERE, BAD } },
	{ "mknod", TEXT, SYS_mknodat, { HERE, BAD, 0100600, 0 } },
	{ "chmod", TEXT, SYS_fchmodat, { HERE, BAD, 0600 } },
	{ "access", TEXT, SYS_faccessat, { HERE, BAD, 0 } },
	{ "execve", TEXT, SYS_execve, { BAD, (long)argv_of_true, 0 } },
	{ "execve's arguments", READS, SYS_execve, { TRUE, BAD, 0 } },
	{ "execve's environment", READS, SYS_execve,
	  { TRUE, (long)argv_of_true, BAD } },
	{ "execve's argument", TEXT, SYS_execve,
	  { TRUE, (long)one_bad_string, 0 } },
	{ "mount's device", TEXT, SYS_mount, { BAD, ROOT, (long)"ext2", 0 } },
	{ "mount", TEXT, SYS_mount, { ROOT, BAD, (long)"proc", 0 } },
	{ "mount's type", TEXT, SYS_mount, { ROOT, ROOT, BAD, 0 } },
	{ "mount's options", READS_SOME, SYS_mount,
	  { ROOT, ROOT, (long)"nosuch", 0, BAD } },
	{ "umount", TEXT, SYS_umount2, { BAD, 0 } },
	{ "delete_module", TEXT, SYS_delete_module, { BAD, 0 } },
	{ "init_module", READS, SYS_init_module, { BAD, 4096, (long)"" } },
	{ "statfs of", TEXT, SYS_statfs, { BAD, S } },
	{ "statfs", WRITES, SYS_statfs, { ROOT, BAD } },
	{ "stat of", TEXT, SYS_newfstatat, { HERE, BAD, S, 0 } },
	{ "stat", WRITES, SYS_newfstatat, { HERE, ROOT, BAD, 0 } },
	{ "fstat", WRITES, SYS_fstat, { 0, BAD } },
	{ "readlink of", TEXT, SYS_readlinkat, { HERE, BAD, S, 64 } },
	{ "readlink", WRITES, SYS_readlinkat,
	  { HERE, (long)"/proc/self/exe", BAD, 64 } },
	{ "getcwd", WRITES, SYS_getcwd, { BAD, 256 } },
	{ "getdents64", WRITES, SYS_getdents64, { BAD, BAD, 1024 } },
	{ "utimensat", READS, SYS_utimensat, { HERE, TRUE, BAD, 0 } },
	{ "write", READS_SOME, SYS_write, { BAD, BAD, 64 } },
	{ "read", WRITES_SOME, SYS_read, { BAD, BAD, 64 } },
	{ "writev's vector", READS, SYS_writev, { BAD, BAD, 2 } },
	{ "readv's vector", READS, SYS_readv, { BAD, BAD, 2 } },
	{ "writev", READS_SOME, SYS_writev, { BAD, (long)&one_bad_buffer, 1 } },
	{ "readv", WRITES_SOME, SYS_readv, { BAD, (long)&one_bad_buffer, 1 } },
	{ "vmsplice's vector", READS, SYS_vmsplice, { BAD, BAD, 2, 0 } },
	{ "vmsplice", READS_SOME, SYS_vmsplice,
	  { BAD, (long)&one_bad_buffer, 1, 0 } },
	{ "vmsplice from", WRITES_SOME, SYS_vmsplice,
	  { BAD, (long)&one_bad_buffer, 1, 0 } },
	{ "splice's offset", READS, SYS_splice, { BAD, BAD, BAD, 0, 1, 0 } },
	{ "pipe", WRITES, SYS_pipe2, { BAD, 0 } },
#ifndef ARCH_GENERIC_SYSCALLS
	{ "poll", READS, SYS_poll, { BAD, 1, 0 } },
	{ "select", READS, SYS_select, { 1, BAD, 0, 0 } },
	{ "select's timeout", READS, SYS_select, { 0, 0, 0, 0, BAD } },
#endif
	{ "pselect6's timeout", READS, SYS_pselect6, { 0, 0, 0, 0, BAD, 0 } },
	{ "pselect6's mask", READS, SYS_pselect6, { 0, 0, 0, 0, S, BAD } },
	{ "ppoll's timeout", READS, SYS_ppoll, { S, 0, BAD, 0, 0 } },
	{ "ppoll's mask", READS, SYS_ppoll, { S, 0, S, BAD, 8 } },
	{ "getrandom", WRITES_SOME, SYS_getrandom, { BAD, 64, 0 } },
	{ "nanosleep", READS, SYS_nanosleep, { BAD, 0 } },
	{ "clock_nanosleep", READS, SYS_clock_nanosleep, { 1, 0, BAD, 0 } },
	{ "clock_gettime", WRITES, SYS_clock_gettime, { 1, BAD } },
	{ "clock_getres", WRITES, SYS_clock_getres, { 1, BAD } },
	{ "gettimeofday", WRITES, SYS_gettimeofday, { BAD, 0 } },
	{ "setitimer", READS, SYS_setitimer, { 0, BAD, 0 } },
	{ "setitimer's old", WRITES, SYS_setitimer, { 0, S, BAD } },
	{ "getitimer", WRITES, SYS_getitimer, { 2, BAD } },
	{ "getrusage", WRITES, SYS_getrusage, { 0, BAD } },
	{ "times", WRITES, SYS_times, { BAD } },
	{ "sysinfo", WRITES, SYS_sysinfo, { BAD } },
	{ "uname", WRITES, SYS_uname, { BAD } },
	{ "sethostname", READS, SYS_sethostname, { BAD, 8 } },
	{ "syslog", WRITES, SYS_syslog, { 3, BAD, 4096 } },
	{ "rt_sigaction", READS, SYS_rt_sigaction, { SIGUSR1, BAD, 0, 8, 8 } },
	{ "rt_sigaction's old", WRITES, SYS_rt_sigaction,
	  { SIGUSR1, 0, BAD, 8, 8 } },
	{ "rt_sigprocmask", READS, SYS_rt_sigprocmask, { 0, BAD, 0, 8 } },
	{ "rt_sigprocmask's old", WRITES, SYS_rt_sigprocmask, { 0, 0, BAD, 8 } },
	{ "rt_sigpending", WRITES, SYS_rt_sigpending, { BAD, 8 } },
	{ "rt_sigtimedwait", READS, SYS_rt_sigtimedwait, { BAD, 0, S, 8 } },
	{ "rt_sigqueueinfo", READS, SYS_rt_sigqueueinfo, { 1, SIGUSR1, BAD } },
	{ "sigaltstack", READS, SYS_sigaltstack, { BAD, 0 } },
	{ "sigaltstack's old", WRITES, SYS_sigaltstack, { 0, BAD } },
	{ "futex", READS, SYS_futex, { BAD, 0, 1, 0 } },
	{ "futex's timeout", READS, SYS_futex, { S, 0, 0, BAD } },
	{ "sched_rr_get_interval", WRITES, SYS_sched_rr_get_interval, { 0, BAD } },
	{ "sched_setscheduler", READS, SYS_sched_setscheduler, { 0, 0, BAD } },
	{ "sched_setattr", READS, SYS_sched_setattr, { 0, BAD, 0 } },
	{ "sched_getattr", WRITES, SYS_sched_getattr, { 0, BAD, 48, 0 } },
	{ "sched_setparam", READS, SYS_sched_setparam, { 0, BAD } },
	{ "sched_getparam", WRITES, SYS_sched_getparam, { 0, BAD } },
	{ "sched_setaffinity", READS, SYS_sched_setaffinity, { 0, 8, BAD } },
	{ "sched_getaffinity", WRITES, SYS_sched_getaffinity, { 0, 128, BAD } },
	{ "prlimit64", READS, SYS_prlimit64, { 0, 7, BAD, 0 } },
	{ "prlimit64's old", WRITES, SYS_prlimit64, { 0, 7, 0, BAD } },
	{ "getcpu", WRITES, SYS_getcpu, { BAD, 0, 0 } },
};

/* Before the address space, in it, at its end, and in the kernel's. */
static const unsigned long nowhere[] = {
	8, 0x0000000000010000, 0x000007fffffffffc, 0x0000080000000000,
	0x00007ffffffffffc - 4096, 0x00007ffffffff000, 0x00007ffffffffffc,
	0x0000800000000000, 0x7fffffffffffffff, 0x8000000000000000,
	0xffff800000000000, 0xffff888000100000, 0xffff888007000000,
	0xffffffff81000000, 0xffffffff81100000, 0xfffff80000000000,
	0xfffff80000010000, 0xfffff80001010000, 0xfffff80007000000,
	0xfffffffffffff000, 0xfffffffffffffff8, 0xffffffffffffffff,
};

#define STACK_GAP	(1UL << 20)	/* below its end, the stack may grow */

static long attempt(const struct attempt *a, unsigned long pointer)
{
	long arg[6], value;

	for (int i = 0; i < 6; i++)
		arg[i] = a->arg[i] == BAD ? (long)pointer : a->arg[i];
	one_bad_string[0] = (char *)pointer;
	one_bad_buffer.base = (void *)pointer;
	if (a->nr == SYS_getdents64)
		arg[0] = folder;
	else if (a->nr == SYS_write || a->nr == SYS_writev)
		arg[0] = fds[1];
	else if (a->nr == SYS_read || a->nr == SYS_readv)
		arg[0] = full[0];
	else if (a->nr == SYS_vmsplice)
		arg[0] = a->use == WRITES_SOME ? full[0] : fds[1];
	else if (a->nr == SYS_splice)
		arg[0] = folder, arg[2] = fds[1];
	memset(scratch, 0, sizeof(scratch));
	value = arch_syscall6(a->nr, arg[0], arg[1], arg[2], arg[3], arg[4],
			      arg[5]);
	errno = value < 0 ? -value : 0;
	return value;
}

static void expect(const struct attempt *a, unsigned long pointer, bool fault,
		   const char *where)
{
	long ret = attempt(a, pointer);
	char what[100];

	/* A futex that is not aligned is none. */
	if (a->nr == SYS_futex && pointer % 4 && ret == -EINVAL)
		ret = -EFAULT;
	if ((ret == -EFAULT) == fault)
		return check(true, "");
	snprintf(what, sizeof(what), "%s: %s (%lx) gives %ld", a->name, where,
		 pointer, ret);
	check(false, what);
}

/* The end of the stack is the end of what a program may address. */
static unsigned long address_space_end(void)
{
	unsigned long end = (unsigned long)&end & ~(PAGE - 1);

	do {
		end += PAGE;
	} while (call(SYS_getrandom, (long)end, 1, 0, 0) == 1);
	return end;
}

static void try_everywhere(const struct attempt *a, unsigned long end)
{
	for (size_t i = 0; i < sizeof(nowhere) / sizeof(*nowhere); i++)
		if (nowhere[i] < end - STACK_GAP || nowhere[i] >= end)
			expect(a, nowhere[i], true, "nowhere");
	expect(a, end, true, "behind the end");
}

/* @p: two pages, of which only the first is there. */
static void try_edges(const struct attempt *a, char *p, const char *constant)
{
	memset(p, 'x', PAGE);
	expect(a, (unsigned long)p + PAGE, true, "a page that is not there");
	switch (a->use) {
	case TEXT:
		expect(a, (unsigned long)p + PAGE - 9, true, "a text without end");
		strcpy(p + PAGE - 9, "/nothing");
		if (a->nr != SYS_execve && a->nr != SYS_mount)
			expect(a, (unsigned long)p + PAGE - 9, false,
			       "a text that just fits");
		unlink("/nothing");
		rmdir("/nothing");
		break;
	case WRITES:
	case READS:
		expect(a, (unsigned long)p + PAGE - 1, true, "one byte");
		break;
	default:
		break;
	}
	if (a->use == WRITES || a->use == WRITES_SOME)
		expect(a, (unsigned long)constant, true, "what is read-only");
}

void check_pointers(void)
{
	char *p = map(2, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	char *constant = map(1, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	unsigned long end = address_space_end();

	munmap(p + PAGE, PAGE);
	memset(constant, 'c', PAGE);
	mprotect(constant, PAGE, PROT_READ);
	folder = open("/", O_RDONLY);
	if (pipe(fds) < 0 || pipe(full) < 0 || folder < 0)
		err(2, "cannot make a pipe");
	write(full[1], scratch, 64);
	for (size_t i = 0; i < sizeof(attempts) / sizeof(*attempts); i++) {
		try_everywhere(&attempts[i], end);
		try_edges(&attempts[i], p, constant);
	}
	for (size_t i = 0; i < PAGE; i++)
		if (constant[i] != 'c') {
			check(false, "what is read-only has been written");
			break;
		}
	check(call(SYS_writev, fds[1], (long)&one_bad_buffer, 1025, 0) == -EINVAL,
	      "writev() of more than there may be");
	one_bad_buffer.size = -1;
	check(call(SYS_writev, fds[1], (long)&one_bad_buffer, 1, 0) == -EINVAL,
	      "writev() of a negative size");
	check(call(SYS_write, fds[1], end - 4, 8, 0) == -EFAULT &&
	      call(SYS_read, full[0], end - 4, 8, 0) == -EFAULT,
	      "across the end of the address space");
	close(fds[0]);
	close(fds[1]);
	close(full[0]);
	close(full[1]);
	close(folder);
	munmap(p, PAGE);
	munmap(constant, PAGE);
}
