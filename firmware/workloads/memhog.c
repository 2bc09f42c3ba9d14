/* SPDX-License-Identifier: GPL-2.0-only */
/* memhog MEBIBYTES [SECONDS]: writes to that much memory, and then sleeps. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MIB	(1UL << 20)

int main(int argc, char **argv)
{
	struct timespec ts = { 0, 0 };
	long mebibytes;

	if (argc < 2 || argc > 3)
		errx(1, "usage: memhog MEBIBYTES [SECONDS]");
	mebibytes = parse_number(argv[1]);
	if (argc > 2)
		ts.tv_sec = parse_number(argv[2]);
	if (mebibytes < 0 || ts.tv_sec < 0)
		errx(1, "invalid number");
	for (long i = 0; i < mebibytes; i++)
		memset(xmalloc(MIB), i, MIB);
	printf("memhog: %ld MiB\n", mebibytes);
	fflush(stdout);
	nanosleep(&ts, NULL);
	return 0;
}
