/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arguments of system calls, by what they are for: mostly such as go far, some
 * that are wrong by a little, and some that could be anything.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include "fuzz.h"

#define PAGE		8192	/* of any architecture */
#define PAGES		16	/* that calls may map, unmap and protect */
#define GAP		(1 << 20)	/* between the area and what counts calls */

char *area;
static char *pages;
static struct sigaction handled;	/* as the kernel knows it */

static void handler(int signal)
{
	(void)signal;
}

void make_area(void)
{
	area = mmap(NULL, AREA + GAP, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
		    -1, 0);
	pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED || pages == MAP_FAILED ||
	    mprotect(area, AREA / 2, PROT_READ | PROT_WRITE) < 0 ||
	    mprotect(area + AREA / 2, AREA / 2, PROT_READ) < 0)
		_exit(1);
	/* Most ends of a process are tried anyway. */
	handled.sa_handler = handler;
	for (int signal = 1; signal <= SIGRTMAX; signal++)
		if (signal != SIGSEGV && signal != SIGBUS && signal != SIGILL)
			sigaction(signal, &handled, NULL);
	sigaction(SIGALRM, NULL, &handled);
}

#define PICK(f, list)	((list)[below(f, COUNT_OF(list))])

static const long open_flags[] = {
	O_RDONLY, O_RDWR, O_WRONLY | O_CREAT, O_RDWR | O_CREAT | O_TRUNC,
	O_WRONLY | O_APPEND, O_RDWR | O_CREAT | O_EXCL, O_RDONLY | O_DIRECTORY,
	O_NONBLOCK | O_RDONLY, O_NONBLOCK | O_CLOEXEC, O_CLOEXEC, O_PATH,
};
static const long map_flags[] = {
	MAP_PRIVATE, MAP_SHARED, MAP_PRIVATE | MAP_FIXED,
	MAP_SHARED | MAP_FIXED, MAP_PRIVATE | MAP_ANONYMOUS,
	MAP_SHARED | MAP_ANONYMOUS, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
	MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN,
};
static const long clone_flags[] = {
	CLONE_VM | CLONE_VFORK, CLONE_FS | CLONE_FILES, CLONE_PARENT,
	CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
	CLONE_SYSVSEM | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID,
	CLONE_PARENT_SETTID | CLONE_CHILD_SETTID, CLONE_VM | CLONE_SIGHAND,
};
static const long mount_flags[] = {
	0, 0, MS_RDONLY, MS_BIND, MS_BIND | MS_REC, MS_REMOUNT,
	MS_REMOUNT | MS_RDONLY, MS_MOVE, MS_PRIVATE, MS_NOSUID | MS_NODEV,
};
static const char *const mount_points[] = {
	"/tmp/fuzz0", "/tmp/fuzz1", "/tmp/disk", "/tmp/disk/fuzz1", "/tmp/fuzz2",
};
static const char *const file_systems[] = {
	"proc", "sysfs", "ramfs", "tmpfs", "debugfs", "tracefs", "ext2",
	"hostfs", "nosuchfs",
};
static const char *const modules[] = {
	"sample_timer", "sample_export", "sample_use", "no_such_module",
};
/* Not among them: to take the terminal away from us. */
static const long requests[] = {
	TCGETS, TCSETS, TCSETSW, TCSETSF, TCFLSH, TCXONC, TIOCGPGRP, TIOCSPGRP,
	TIOCGWINSZ, TIOCSWINSZ, FIONREAD, TIOCGSID, 0x1260, 0x1261, 0x80081272,
	0x40081272, FIONBIO, FIOCLEX, FIONCLEX,
};
static const long commands[] = { F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL,
				 F_DUPFD_CLOEXEC, 5, 6, 7, 1031, 1032 };
static const long wait_options[] = {
	WNOHANG, WNOHANG | WUNTRACED, WNOHANG | 4, WUNTRACED | WCONTINUED, 0,
	4 | WNOHANG | 0x1000000, 0x40000000, 0x20000000 | WNOHANG,
};
/* Operations on futexes; 128: within a process. */
static const long futex_operations[] = { 0, 1, 3, 4, 5, 9, 10, 128, 129, 132 };

/* Whose end, or whose signals, are nobody's loss. */
static long some_process(struct fuzzer *f)
{
	const long ids[] = { 0, f->process, f->thread, 999999, -999999 };

	return PICK(f, ids);
}

static char *buffer(struct fuzzer *f)
{
	switch (below(f, 12)) {
	case 0:
		return area + AREA / 2 - below(f, 64);	/* straddles */
	case 1:
		return area + AREA - below(f, 32);
	case 2:
		return pages + below(f, PAGES * PAGE);
	case 3:
		return area + below(f, AREA / 2 - 4096);
	default:
		return area + below(f, (AREA / 2 - 4096) / 8) * 8;
	}
}

/* Where we can write ourselves; room for 32 words. */
static unsigned long *room(struct fuzzer *f)
{
	return (unsigned long *)area + below(f, (AREA / 2 - 4096) / 8);
}

static long anything(struct fuzzer *f)
{
	switch (below(f, 9)) {
	case 0:
		return (long)below(f, 16) - 3;
	case 1:
		return 1L << below(f, 64);
	case 2:
		return (1L << below(f, 64)) - 1;
	case 3:
		return next_random(f);
	case 4:
		return below(f, 1UL << 32);
	case 5:
		return -(long)below(f, 1UL << 32);
	case 6:
		return (long)some_path(f);
	case 7:
		return below(f, AREA);
	default:
		return (long)buffer(f);
	}
}

/* A structure of whatever kind. */
static long words(struct fuzzer *f)
{
	unsigned long *word = room(f);

	for (int i = 0; i < 8; i++)
		word[i] = one_in(f, 4) ? (unsigned long)anything(f) : below(f, 8);
	return (long)word;
}

static long text(struct fuzzer *f)
{
	char *at = (char *)room(f);

	copy_text(f, at, 64);
	return (long)at;
}

static long vectors(struct fuzzer *f)
{
	unsigned long *word = room(f);

	for (int i = 0; i < 16; i += 2) {
		word[i] = (unsigned long)buffer(f);
		word[i + 1] = below(f, one_in(f, 8) ? AREA : 200);
	}
	return (long)word;
}

static long polled(struct fuzzer *f)
{
	struct { int fd; short events, found; } *files = (void *)room(f);

	for (int i = 0; i < 8; i++) {
		files[i].fd = some_descriptor(f);
		files[i].events = one_in(f, 4) ? next_random(f) : 5;
	}
	return (long)files;
}

static long moment(struct fuzzer *f)
{
	unsigned long *time = room(f);

	time[0] = one_in(f, 8) ? (unsigned long)anything(f) : 0;
	time[1] = one_in(f, 8) ? (unsigned long)anything(f) : below(f, 500000);
	return one_in(f, 8) ? 0 : (long)time;
}

static long action(struct fuzzer *f)
{
	static const unsigned long flags[] = {
		SA_RESTART, SA_NODEFER | SA_SIGINFO, SA_ONSTACK, SA_RESETHAND,
		SA_NOCLDWAIT, SA_NOCLDSTOP, 0,
	};
	struct sigaction *new = (void *)room(f);

	*new = handled;
	new->sa_flags |= PICK(f, flags);
	new->sa_mask = one_in(f, 2) ? next_random(f) : 0;
	if (one_in(f, 4))
		new->sa_handler = (void (*)(int))below(f, 2);
	return (long)new;
}

static long attributes(struct fuzzer *f)
{
	struct sched_attr *attr = (void *)room(f);

	*attr = (struct sched_attr){
		.size = one_in(f, 8) ? below(f, 100) : sizeof(*attr),
		.sched_policy = below(f, 8),
		.sched_flags = one_in(f, 4) ? below(f, 256) : 0,
		.sched_nice = (int)below(f, 44) - 22,
		.sched_priority = one_in(f, 2) ? below(f, 101) : 0,
		.sched_runtime = below(f, 4000000),
		.sched_deadline = below(f, 8000000),
		.sched_period = one_in(f, 2) ? below(f, 10000000) : 0,
	};
	return (long)attr;
}

static long strings(struct fuzzer *f)
{
	unsigned long *list = room(f);
	int count = below(f, 4);

	for (int i = 0; i < count; i++)
		list[i] = (unsigned long)some_path(f);
	list[count] = 0;
	return (long)list;
}

static long right_argument(struct fuzzer *f, char kind)
{
	switch (kind) {
	case 'a':	/* where to map */
		return (long)pages + below(f, PAGES) * PAGE;
	case 'A':
		return action(f);
	case 'b':	/* a buffer */
		return (long)buffer(f);
	case 'B':	/* ... with something in it */
		return text(f);
	case 'c':	/* a small number */
		return below(f, 12);
	case 'C':
		return PICK(f, clone_flags) | (one_in(f, 2) ? SIGCHLD : 0);
	case 'd':
		return (long)PICK(f, mount_points);
	case 'f':	/* a descriptor */
		return some_descriptor(f);
	case 'F':
		return PICK(f, open_flags);
	case 'G':	/* a set of signals */
		*room(f) = one_in(f, 2) ? next_random(f) : 0;
		return (long)room(f);
	case 'I':
		return PICK(f, requests);
	case 'j':	/* a folder */
		return one_in(f, 4) ? some_descriptor(f) : AT_FDCWD;
	case 'k':	/* a stack */
		return one_in(f, 2) ? 0 : (long)area + AREA / 4;
	case 'K':
		return PICK(f, commands);
	case 'l':	/* a length to map */
		return (1 + below(f, 6)) * PAGE;
	case 'm':
		return one_in(f, 2) ? 0755 : below(f, 0170000);
	case 'M':
		return PICK(f, map_flags);
	case 'n':	/* a length */
		return below(f, one_in(f, 4) ? AREA / 2 : 300);
	case 'N':
		return (long)PICK(f, file_systems);
	case 'o':	/* an offset */
		return below(f, one_in(f, 4) ? 1UL << below(f, 40) : 5000);
	case 'O':
		return PICK(f, mount_flags);
	case 'p':
		return (long)some_path(f);
	case 'P':
		return polled(f);
	case 'Q':
		return attributes(f);
	case 'r':	/* a limit's number */
		return below(f, 17);
	case 'R':	/* a protection */
		return below(f, 8);
	case 's':	/* a signal */
		return below(f, 70);
	case 't':
		return moment(f);
	case 'T':
		return words(f);
	case 'u':	/* a word that threads wait for */
		return (long)area + below(f, 4) * 4;
	case 'U':
		return PICK(f, futex_operations);
	case 'v':
		return vectors(f);
	case 'V':
		return strings(f);
	case 'w':	/* an operation, or flags */
		return one_in(f, 4) ? 1L << below(f, 16) : (long)below(f, 4);
	case 'W':
		return PICK(f, wait_options);
	case 'X':
		return (long)PICK(f, modules);
	case 'z':
		return sizeof(sigset_t);
	default:
		return anything(f);
	}
}

long some_argument(struct fuzzer *f, char kind)
{
	/* Not ever somebody else's number. */
	if (kind == 'i')
		return some_process(f);
	return one_in(f, 16) ? anything(f) : right_argument(f, kind);
}
