/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * burn MILLISECONDS [NAME]: keeps a CPU busy until that much time has passed,
 * and prints how many microseconds of processor time it got meanwhile.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NSEC_PER_SEC	1000000000L
#define NSEC_PER_MSEC	1000000L

static long now(int clock)
{
	struct timespec ts;

	if (clock_gettime(clock, &ts) < 0)
		err(1, "cannot read the clock");
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

int main(int argc, char **argv)
{
	long milliseconds, start, end;

	if (argc < 2 || argc > 3)
		errx(1, "usage: burn MILLISECONDS [NAME]");
	milliseconds = parse_number(argv[1]);
	if (milliseconds < 0)
		errx(1, "invalid number '%s'", argv[1]);
	end = now(CLOCK_MONOTONIC) + milliseconds * NSEC_PER_MSEC;
	start = now(CLOCK_PROCESS_CPUTIME_ID);
	while (now(CLOCK_MONOTONIC) < end)
		;
	printf("%s %ld\n", argc > 2 ? argv[2] : "burn",
	       (now(CLOCK_PROCESS_CPUTIME_ID) - start) / 1000);
	return 0;
}
