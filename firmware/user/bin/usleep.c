/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * usleep MICROSECONDS: sleeps that long; usleep -t SECONDS: until the wall
 * clock says so many.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <syscall.h>
#include <time.h>

#define TIMER_ABSTIME	1

int main(int argc, char **argv)
{
	struct timespec ts = { 0 };
	long microseconds;

	if (argc == 3 && !strcmp(argv[1], "-t")) {
		ts.tv_sec = parse_number(argv[2]);
		return arch_syscall(SYS_clock_nanosleep, CLOCK_REALTIME,
				    TIMER_ABSTIME, (long)&ts, 0) != 0;
	}
	if (argc != 2)
		errx(1, "usage: usleep MICROSECONDS | -t SECONDS");
	microseconds = parse_number(argv[1]);
	if (microseconds < 0)
		errx(1, "invalid number '%s'", argv[1]);
	ts.tv_sec = microseconds / 1000000;
	ts.tv_nsec = microseconds % 1000000 * 1000;
	if (nanosleep(&ts, NULL) < 0)
		err(1, "cannot sleep");
	return 0;
}
