/* SPDX-License-Identifier: GPL-2.0-only */
/* sleep NUMBER[smhd]...: sleeps for the sum; numbers may have fractions. */
#include <ctype.h>
#include <err.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#define NSEC_PER_SEC	1000000000L
#define MAX_SECONDS	1000000000L

static long suffix_seconds(const char *suffix)
{
	if (suffix[0] && suffix[1])
		return 0;
	switch (suffix[0]) {
	case '\0':
	case 's':
		return 1;
	case 'm':
		return 60;
	case 'h':
		return 60 * 60;
	case 'd':
		return 24 * 60 * 60;
	default:
		return 0;
	}
}

/* Adds what text says to *ts; false if it is no time interval. */
static bool add_interval(struct timespec *ts, const char *text)
{
	long seconds = 0, nanoseconds = 0, scale;
	bool digits = false;

	for (; isdigit(*text); text++, digits = true)
		if (seconds < MAX_SECONDS)
			seconds = seconds * 10 + (*text - '0');
	if (*text == '.') {
		long place = NSEC_PER_SEC / 10;

		for (text++; isdigit(*text); text++, digits = true) {
			nanoseconds += place * (*text - '0');
			place /= 10;
		}
	}
	scale = suffix_seconds(text);
	if (!digits || !scale)
		return false;
	nanoseconds = nanoseconds * scale + ts->tv_nsec;
	ts->tv_sec += seconds * scale + nanoseconds / NSEC_PER_SEC;
	ts->tv_nsec = nanoseconds % NSEC_PER_SEC;
	return true;
}

int main(int argc, char **argv)
{
	struct timespec ts = { 0, 0 };
	bool valid = true;

	if (argc < 2)
		errx(1, "missing operand");
	for (int i = 1; i < argc; i++) {
		if (!add_interval(&ts, argv[i])) {
			warnx("invalid time interval '%s'", argv[i]);
			valid = false;
		}
	}
	if (!valid)
		return 1;
	if (nanosleep(&ts, NULL) < 0)
		err(1, "cannot sleep");
	return 0;
}
