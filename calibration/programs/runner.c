// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a program again and again, on each CPU in turn, with its output thrown away.
 *
 *	runner ROUNDS PROGRAM [ARGUMENT]...
 *
 * For each round it prints the cycles of the core while the program had a CPU, in units of what one of a chain of
 * dependent additions takes before and after. The kernel counts a process's time in nanoseconds, user's and its own.
 */
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../events/clock.h"

static double seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec * 1e-9;
}

static double seconds_of(const struct rusage *usage)
{
	return usage->ru_utime.tv_sec + usage->ru_stime.tv_sec + (usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1e-6;
}

/* Ticks of the time stamp counter in a second. */
static double frequency(void)
{
	double from = seconds();
	uint64_t begin = now();

	while (seconds() < from + 0.02)
		;
	begin = now() - begin;
	return begin / (seconds() - from);
}

/* The libc of a static program shall choose what it chooses for the guest's CPU, which has no AVX. */
static char tunables[] = "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX2,-AVX,-ERMS,-FSRM,-BMI1,-BMI2,-LZCNT,-MOVBE";

int main(int argc, char **argv)
{
	static char *const environment[] = { "PATH=/usr/bin:/bin", tunables, NULL };
	posix_spawn_file_actions_t files;
	double ticks = frequency();

	if (argc < 3)
		return 2;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
	for (int round = 0; round < atoi(argv[1]); round++) {
		double before, after;
		struct rusage usage;
		int status;
		pid_t pid;

		use_cpu(round % sysconf(_SC_NPROCESSORS_ONLN));
		before = ticks_of_cycle();
		if (posix_spawn(&pid, argv[2], &files, NULL, argv + 2, environment) || wait4(pid, &status, 0, &usage) != pid || status)
			return 1;
		after = ticks_of_cycle();
		printf("%.0f\n", seconds_of(&usage) * ticks / ((before + after) / 2));
		fflush(stdout);
	}
	return 0;
}
