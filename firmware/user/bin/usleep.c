/* SPDX-License-Identifier: GPL-2.0-only */
/* usleep MICROSECONDS: sleeps that long. */
#include <err.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
	struct timespec ts;
	long microseconds;

	if (argc != 2)
		errx(1, "usage: usleep MICROSECONDS");
	microseconds = parse_number(argv[1]);
	if (microseconds < 0)
		errx(1, "invalid number '%s'", argv[1]);
	ts.tv_sec = microseconds / 1000000;
	ts.tv_nsec = microseconds % 1000000 * 1000;
	if (nanosleep(&ts, NULL) < 0)
		err(1, "cannot sleep");
	return 0;
}
