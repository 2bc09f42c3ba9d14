/* SPDX-License-Identifier: GPL-2.0-only */
/* rev [FILE]...: each line backwards. */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void reverse(FILE *f)
{
	static char *line;
	static size_t size;
	ssize_t length;

	while ((length = getline(&line, &size, f)) > 0) {
		bool newline = line[length - 1] == '\n';

		for (length -= newline; length > 0; length--)
			putchar(line[length - 1]);
		if (newline)
			putchar('\n');
	}
}

int main(int argc, char **argv)
{
	int status = 0;

	if (getopt(argc, argv, "") >= 0)
		return 1;
	if (optind == argc)
		reverse(stdin);
	for (; optind < argc; optind++) {
		FILE *f = fopen(argv[optind], "r");

		if (!f) {
			warn("cannot open %s", argv[optind]);
			status = 1;
			continue;
		}
		reverse(f);
		fclose(f);
	}
	return status;
}
