/* SPDX-License-Identifier: GPL-2.0-only */
/* All system calls, by the kernel's own table, and what they want. */
#include <string.h>
#include "fuzz.h"

#define NUMBERS	460	/* beyond the last one */

static struct call calls[] = {
#define __SYSCALL(nr, name)	{ #name, nr, NULL },
#include <asm/syscalls_64.h>
#undef __SYSCALL
};

/* They would end the experiment. */
static const char *const left_out[] = { "exit", "exit_group", "reboot" };

/* The letters are those of arguments.c; a call that is not here gets anything. */
static const struct {
	const char *name, *arguments;
} signatures[] = {
	{ "read", "fbn" }, { "write", "fBn" }, { "open", "pFm" },
	{ "close", "f" }, { "newstat", "pb" }, { "newfstat", "fb" },
	{ "newlstat", "pb" }, { "poll", "Pcc" }, { "lseek", "fow" },
	{ "mmap", "alRMfo" }, { "mprotect", "alR" }, { "munmap", "al" },
	{ "brk", "x" }, { "rt_sigaction", "sAbz" },
	{ "rt_sigprocmask", "wGbz" }, { "ioctl", "fIT" },
	{ "pread64", "fbno" }, { "pwrite64", "fBno" }, { "readv", "fvc" },
	{ "writev", "fvc" }, { "access", "pw" }, { "pipe", "b" },
	{ "splice", "fTfTnw" }, { "tee", "ffnw" }, { "vmsplice", "fvcw" },
	{ "preadv", "fvco" }, { "pwritev", "fvco" }, { "llseek", "fcxbw" },
	{ "statfs64", "pnb" }, { "fstatfs64", "fnb" },
	{ "select", "nTTTt" }, { "sched_yield", "" },
	{ "mremap", "allwa" }, { "msync", "alw" }, { "madvise", "alw" },
	{ "dup", "f" }, { "dup2", "ff" }, { "pause", "" },
	{ "nanosleep", "tb" }, { "getitimer", "cb" }, { "alarm", "c" },
	{ "setitimer", "cTb" }, { "getpid", "" }, { "clone", "Ckbbb" },
	{ "fork", "" }, { "vfork", "" }, { "execve", "pVV" },
	{ "wait4", "iWbb" }, { "kill", "is" }, { "newuname", "b" },
	{ "fcntl", "fKc" }, { "fsync", "f" }, { "fdatasync", "f" },
	{ "truncate", "po" }, { "ftruncate", "fo" }, { "getcwd", "bn" },
	{ "chdir", "p" }, { "fchdir", "f" }, { "rename", "pp" },
	{ "mkdir", "pm" }, { "rmdir", "p" }, { "creat", "pm" },
	{ "link", "pp" }, { "unlink", "p" }, { "symlink", "pp" },
	{ "readlink", "pbn" }, { "chmod", "pm" }, { "fchmod", "fm" },
	{ "chown", "pcc" }, { "fchown", "fcc" }, { "lchown", "pcc" },
	{ "umask", "m" }, { "gettimeofday", "bb" }, { "getrlimit", "rb" },
	{ "getrusage", "wb" }, { "sysinfo", "b" }, { "times", "b" },
	{ "getuid", "" }, { "syslog", "cbn" }, { "getgid", "" },
	{ "geteuid", "" }, { "getegid", "" }, { "setpgid", "ii" },
	{ "getppid", "" }, { "getpgrp", "" }, { "setsid", "" },
	{ "getpgid", "i" }, { "getsid", "i" }, { "rt_sigpending", "bz" },
	{ "rt_sigtimedwait", "Gbtz" }, { "rt_sigqueueinfo", "isT" },
	{ "rt_sigsuspend", "Gz" }, { "sigaltstack", "Tb" },
	{ "mknod", "pmc" }, { "statfs", "pb" }, { "fstatfs", "fb" },
	{ "getpriority", "wi" }, { "setpriority", "wic" },
	{ "sched_setparam", "iT" }, { "sched_getparam", "ib" },
	{ "sched_setscheduler", "icT" }, { "sched_getscheduler", "i" },
	{ "sched_get_priority_max", "c" }, { "sched_get_priority_min", "c" },
	{ "sched_rr_get_interval", "ib" }, { "setrlimit", "rT" },
	{ "chroot", "p" }, { "sync", "" }, { "mount", "pdNOB" },
	{ "umount", "dw" }, { "sethostname", "Bc" },
	{ "setdomainname", "Bc" }, { "init_module", "bnB" },
	{ "delete_module", "XF" }, { "gettid", "" }, { "tkill", "is" },
	{ "time", "b" }, { "futex", "uUctuc" },
	{ "sched_setaffinity", "inT" }, { "sched_getaffinity", "inb" },
	{ "getdents64", "fbn" }, { "set_tid_address", "u" },
	{ "restart_syscall", "" }, { "clock_gettime", "cb" },
	{ "clock_getres", "cb" }, { "clock_nanosleep", "cwtb" },
	{ "tgkill", "iis" }, { "waitid", "wibWb" }, { "openat", "jpFm" },
	{ "mkdirat", "jpm" }, { "mknodat", "jpmc" },
	{ "fchownat", "jpccw" }, { "newfstatat", "jpbw" },
	{ "unlinkat", "jpw" }, { "renameat", "jpjp" },
	{ "linkat", "jpjpw" }, { "symlinkat", "pjp" },
	{ "readlinkat", "jpbn" }, { "fchmodat", "jpm" },
	{ "faccessat", "jpw" }, { "pselect6", "nTTTtT" },
	{ "ppoll", "PctGz" }, { "set_robust_list", "Tn" },
	{ "get_robust_list", "ibb" }, { "utimensat", "jpTw" },
	{ "dup3", "ffF" }, { "pipe2", "bF" },
	{ "rt_tgsigqueueinfo", "iisT" }, { "prlimit64", "irTb" },
	{ "syncfs", "f" }, { "getcpu", "bb" }, { "finit_module", "fBc" },
	{ "sched_setattr", "iQc" }, { "sched_getattr", "ibnc" },
	{ "renameat2", "jpjpw" }, { "getrandom", "bnw" },
	{ "clone3", "Tn" },
};

static bool is_left_out(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(left_out); i++)
		if (!strcmp(left_out[i], name))
			return true;
	return false;
}

static const char *arguments_of(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(signatures); i++)
		if (!strcmp(signatures[i].name, name))
			return signatures[i].arguments;
	return "xxxxxx";
}

static int count;

/* Puts those that may be made first. Returns how many there are. */
int find_calls(void)
{
	for (size_t i = 0; i < COUNT_OF(calls); i++) {
		struct call call = calls[i];

		if (is_left_out(call.name))
			continue;
		call.arguments = arguments_of(call.name);
		calls[count++] = call;
	}
	return count;
}

const struct call *some_call(struct fuzzer *f)
{
	return &calls[below(f, count)];
}
