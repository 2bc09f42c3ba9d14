/* SPDX-License-Identifier: GPL-2.0-only */
/* spin MILLISECONDS: keeps a CPU busy that long, looking at the clock. */
#include <err.h>
#include <stdlib.h>
#include <time.h>

#define NSEC_PER_SEC	1000000000L
#define NSEC_PER_MSEC	1000000L

static long now(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_MONOTONIC, &ts) < 0)
		err(1, "cannot read the clock");
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

int main(int argc, char **argv)
{
	long end, milliseconds;

	if (argc != 2)
		errx(1, "usage: spin MILLISECONDS");
	milliseconds = parse_number(argv[1]);
	if (milliseconds < 0)
		errx(1, "invalid number '%s'", argv[1]);
	end = now() + milliseconds * NSEC_PER_MSEC;
	while (now() < end)
		;
	return 0;
}
