// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a program again and again, on each CPU in turn, with its output thrown away.
 *
 *	runner ROUNDS PROGRAM [ARGUMENT]...
 *
 * For each round it prints the cycles of the core from before the program is started until it has been waited for, in
 * units of what one of a chain of dependent additions takes before and after.
 */
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../events/clock.h"

/* The libc of a static program shall choose what it chooses for the guest's CPU, which has no AVX. */
static char tunables[] = "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX2,-AVX,-ERMS,-FSRM,-BMI1,-BMI2,-LZCNT,-MOVBE";

int main(int argc, char **argv)
{
	static char *const environment[] = { "PATH=/usr/bin:/bin", tunables, NULL };
	posix_spawn_file_actions_t files;

	if (argc < 3)
		return 2;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
	for (int round = 0; round < atoi(argv[1]); round++) {
		double before, after;
		uint64_t begin;
		int status;
		pid_t pid;

		use_cpu(round % sysconf(_SC_NPROCESSORS_ONLN));
		before = ticks_of_cycle();
		begin = now();
		if (posix_spawn(&pid, argv[2], &files, NULL, argv + 2, environment) || waitpid(pid, &status, 0) != pid || status)
			return 1;
		begin = now() - begin;
		after = ticks_of_cycle();
		printf("%.0f\n", begin / ((before + after) / 2));
		fflush(stdout);
	}
	return 0;
}
