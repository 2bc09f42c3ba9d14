/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * syscallfuzz SEED COUNT: makes system calls with random numbers and arguments,
 * in children that may come to any end. Left out is only what would end the
 * experiment: switching the machine off, and signals to others.
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
#include <sys/wait.h>
#include <syscall.h>
#include <time.h>
#include <unistd.h>

#define NUMBERS		460
#define BATCH		64	/* calls that a child makes, if it lives */
#define PATIENCE	20	/* milliseconds until it is killed */
#define AREA		65536

static unsigned char usable[NUMBERS];
static int numbers[NUMBERS], number_count;
static volatile unsigned long *progress;	/* shared with the child */
static unsigned long random_state;
static char *area;				/* half of it can be written */

static const int left_out[] = {
	SYS_exit, SYS_exit_group, SYS_reboot,
};

static const int sends_signals[] = {
	SYS_kill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_tkill,
	SYS_rt_tgsigqueueinfo,
};

static const char *const paths[] = {
	"/tmp", "/tmp/fuzz0", "/tmp/fuzz1", "/tmp/fuzz0/a", "/tmp/fuzz2/",
	"/dev/null", "/dev/zero", "/proc/self/status", "", ".", "..", "/",
	"/tmp/../tmp/./fuzz1", "/nosuch/file", "/bin/true",
};

static unsigned long next_random(void)
{
	unsigned long x = random_state += 0x9e3779b97f4a7c15UL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9UL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebUL;
	return x ^ x >> 31;
}

static unsigned long below(unsigned long n)
{
	return next_random() % n;
}

static bool is_one_of(int number, const int *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == number)
			return true;
	return false;
}

#define IS_ONE_OF(number, list) \
	is_one_of(number, list, sizeof(list) / sizeof(*(list)))

static long some_address(void)
{
	switch (below(8)) {
	case 0:
		return (long)area + AREA / 2 - below(64);	/* straddles */
	case 1:
		return (long)area + AREA - below(32);
	case 2:
		return -(long)below(1UL << 32);
	case 3:
		return 1L << (32 + below(31));
	case 4:
		return below(4096);
	default:
		return (long)area + below(AREA / 2 - 4096);
	}
}

static long some_argument(void)
{
	switch (below(10)) {
	case 0:
		return (long)below(16) - 3;
	case 1:
		return below(8);	/* a descriptor, perhaps */
	case 2:
		return 1L << below(64);
	case 3:
		return (1L << below(64)) - 1;
	case 4:
		return next_random();
	case 5:
		return below(1UL << 32);
	case 6:
		return (long)paths[below(sizeof(paths) / sizeof(*paths))];
	case 7:
		return below(AREA);
	default:
		return some_address();
	}
}

static void fill_area(void)
{
	unsigned long *words = (unsigned long *)area;

	for (int i = 0; i < 64; i++)
		words[below(AREA / 2 / sizeof(*words))] =
			below(2) ? (unsigned long)some_argument() : below(4);
}

/* Whom a child may send signals to: itself, its group, nobody. */
static long some_target(pid_t self)
{
	static const long nobody[] = { 0, 999999, -999999 };

	return below(4) == 0 ? self : nobody[below(3)];
}

static void call_one(int number, pid_t self)
{
	long arguments[6];

	for (int i = 0; i < 6; i++)
		arguments[i] = some_argument();
	if (IS_ONE_OF(number, sends_signals)) {
		arguments[0] = some_target(self);
		if (number != SYS_kill)
			arguments[1] = below(2) ? self : 999999;
	}
	arch_syscall6(number, arguments[0], arguments[1], arguments[2],
		      arguments[3], arguments[4], arguments[5]);
}

static void become_child(void)
{
	int null = open("/dev/null", O_RDWR);

	setpgid(0, 0);
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	close(null);
	area = mmap(NULL, AREA, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED ||
	    mprotect(area + AREA / 2, AREA / 2, PROT_READ) < 0)
		_exit(1);
}

/* What the calls have made of this process is not to go on making calls. */
static void fuzz_in_child(unsigned long calls)
{
	pid_t self;

	become_child();
	self = getpid();
	fill_area();
	for (unsigned long i = 0; i < calls; i++) {
		*progress = i + 1;
		call_one(numbers[below(number_count)], self);
		if (getpid() != self)
			_exit(0);
	}
	_exit(0);
}

static void probe_in_child(int number)
{
	become_child();
	_exit(arch_syscall6(number, -1, -1, -1, -1, -1, -1) == -ENOSYS);
}

static void sleep_ms(long ms)
{
	struct timespec ts = { 0, ms * 1000000 };

	nanosleep(&ts, NULL);
}

/* Also what a child has left running: later numbers, which it had made. */
static void bury_others(pid_t child)
{
	for (pid_t pid = child; pid < child + 32; pid++)
		if (pid != getpid())
			kill(pid, SIGKILL);
	for (int i = 0; i < 100; i++) {
		int status;
		pid_t pid = wait4(-1, &status, WNOHANG | 0x40000000, NULL);

		if (pid < 0)
			return;
		if (pid == 0)
			sleep_ms(1);
	}
}

/* The child's wait status; *@hung: it had to be killed. */
static int watch(pid_t child, bool *hung)
{
	int status = 0;

	*hung = false;
	for (int ms = 0; ms < PATIENCE; ms++) {
		if (waitpid(child, &status, WNOHANG) != 0)
			return status;
		sleep_ms(1);
	}
	*hung = true;
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	return status;
}

/* Which numbers mean something. */
static void find_usable(void)
{
	for (int number = 0; number < NUMBERS; number++) {
		bool hung;
		pid_t pid;
		int status;

		if (IS_ONE_OF(number, left_out))
			continue;
		usable[number] = IS_ONE_OF(number, sends_signals);
		if (!usable[number]) {
			pid = fork();
			if (pid == 0)
				probe_in_child(number);
			status = watch(pid, &hung);
			usable[number] = hung || !WIFEXITED(status) ||
					 WEXITSTATUS(status) == 0;
			bury_others(pid);
		}
		if (usable[number])
			numbers[number_count++] = number;
	}
}

int main(int argc, char **argv)
{
	unsigned long done = 0, count, children = 0, killed = 0, hangs = 0;

	if (argc != 3)
		errx(2, "usage: syscallfuzz SEED COUNT");
	random_state = strtoul(argv[1], NULL, 0);
	count = strtoul(argv[2], NULL, 0);
	progress = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (progress == MAP_FAILED)
		err(1, "cannot share memory");
	arch_syscall(SYS_prctl, 36, 1, 0, 0);	/* orphans are ours */
	find_usable();
	while (done < count) {
		unsigned long calls = count - done < BATCH ? count - done : BATCH;
		bool hung;
		pid_t pid;
		int status;

		*progress = 0;
		next_random();
		pid = fork();
		if (pid < 0)
			err(1, "cannot fork");
		if (pid == 0)
			fuzz_in_child(calls);
		status = watch(pid, &hung);
		bury_others(pid);
		children++;
		hangs += hung;
		killed += !hung && WIFSIGNALED(status);
		done += *progress ? *progress : 1;
	}
	printf("%lu calls of %d kinds in %lu children: %lu killed, %lu hung\n",
	       done, number_count, children, killed, hangs);
	return 0;
}
