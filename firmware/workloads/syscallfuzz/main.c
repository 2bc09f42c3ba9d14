/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * syscallfuzz SEED COUNT: makes system calls with random numbers and arguments,
 * in children of one or two threads that may come to any end. Left out is only
 * what would end the experiment, and signals to others.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <syscall.h>
#include <time.h>
#include <unistd.h>
#include "fuzz.h"

#define BATCH		64	/* calls that a thread makes, if it lives */
#define REFRESH		8	/* calls, then what interrupts them is put right */
#define PATIENCE	60	/* milliseconds until a child is killed */
#define PAUSE		3	/* milliseconds between looks at it */
#define WAIT_ALL	0x40000000

static volatile unsigned long *progress;	/* shared with the children */

/* Calls that sleep are interrupted every millisecond. */
static void refresh(void)
{
	static const struct timeval soon[2] = { { 0, 1000 }, { 0, 1000 } };
	sigset_t none = 0;

	arch_syscall(SYS_setitimer, 0, (long)soon, 0, 0);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void call_one(struct fuzzer *f)
{
	const struct call *call = some_call(f);
	long arguments[6] = { 0 };
	int count = strlen(call->arguments);

	for (int i = 0; i < count; i++)
		arguments[i] = some_argument(f, call->arguments[i]);
	arch_syscall6(call->number, arguments[0], arguments[1], arguments[2],
		      arguments[3], arguments[4], arguments[5]);
}

/* What the calls have made of this process is not to go on making calls. */
static void *make_calls(void *argument)
{
	struct fuzzer *f = argument;

	f->process = getpid();
	f->thread = gettid();
	for (int i = 0; i < BATCH; i++) {
		if (i % REFRESH == 0)
			refresh();
		__atomic_add_fetch(progress, 1, __ATOMIC_RELAXED);
		call_one(f);
		if (getpid() != f->process || gettid() != f->thread)
			arch_syscall(SYS_exit, 0, 0, 0, 0);
	}
	return NULL;
}

static _Noreturn void be_child(struct fuzzer *f)
{
	struct fuzzer other = { .random = next_random(f) };
	pthread_t thread;
	int null = open("/dev/null", O_RDWR);

	setpgid(0, 0);
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	close(null);
	if (one_in(f, 2))
		pthread_create(&thread, NULL, make_calls, &other);
	make_calls(f);
	_exit(0);
}

static void sleep_ms(long ms)
{
	struct timespec ts = { 0, ms * 1000000 };

	nanosleep(&ts, NULL);
}

/* The child's wait status; *@hung: it had to be killed. */
static int watch(pid_t child, bool *hung)
{
	int status = 0;

	*hung = false;
	for (int ms = 0; ms < PATIENCE; ms += PAUSE) {
		if (waitpid(child, &status, WNOHANG) != 0)
			return status;
		sleep_ms(PAUSE);
	}
	*hung = true;
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	return status;
}

/* What a child has left running: later numbers, which it had made. */
static void bury_others(pid_t child)
{
	int status;

	for (int tries = 0; tries < 100; tries++) {
		pid_t pid = wait4(-1, &status, WNOHANG | WAIT_ALL, NULL);

		if (pid < 0)
			return;
		if (pid > 0)
			continue;
		for (pid = child; pid < child + 32; pid++)
			if (pid != getpid())
				kill(pid, SIGKILL);
		sleep_ms(1);
	}
}

int main(int argc, char **argv)
{
	unsigned long count, children = 0, killed = 0, hangs = 0;
	struct fuzzer self = { 0 };
	int kinds;

	if (argc != 3)
		errx(2, "usage: syscallfuzz SEED COUNT");
	self.random = strtoul(argv[1], NULL, 0);
	count = strtoul(argv[2], NULL, 0);
	progress = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (progress == MAP_FAILED)
		err(1, "cannot share memory");
	arch_syscall(SYS_prctl, 36, 1, 0, 0);	/* orphans are ours */
	kinds = find_calls();
	make_things();
	make_area();
	while (*progress < count) {
		struct fuzzer child = { .random = next_random(&self) };
		bool hung;
		pid_t pid;
		int status;

		pid = fork();
		if (pid < 0)
			err(1, "cannot fork");
		if (pid == 0)
			be_child(&child);
		status = watch(pid, &hung);
		bury_others(pid);
		restore_terminal();
		children++;
		hangs += hung;
		killed += !hung && WIFSIGNALED(status);
	}
	printf("%lu calls of %d kinds in %lu children: %lu killed, %lu hung\n",
	       *progress, kinds, children, killed, hangs);
	return 0;
}
