/* SPDX-License-Identifier: GPL-2.0-only */
/* strings [-a] [-n LENGTH] [FILE]...: what in files can be read, if long enough. */
#include <ctype.h>
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long shortest = 4;

static void show(FILE *f)
{
	char *text = xmalloc(shortest + 1);
	long length = 0;
	int c;

	while ((c = getc(f)) != EOF) {
		if (!isprint(c) && c != '\t') {
			if (length >= shortest)
				putchar('\n');
			length = 0;
			continue;
		}
		if (length < shortest)
			text[length] = c;
		if (++length == shortest)
			fwrite(text, 1, shortest, stdout);
		else if (length > shortest)
			putchar(c);
	}
	if (length >= shortest)
		putchar('\n');
	free(text);
}

int main(int argc, char **argv)
{
	int option, status = 0;

	while ((option = getopt(argc, argv, "an:")) >= 0) {
		if (option == '?')
			return 1;
		if (option == 'n')
			shortest = parse_number(optarg);
	}
	if (shortest < 1)
		errx(1, "invalid minimum string length");
	if (optind == argc)
		show(stdin);
	for (; optind < argc; optind++) {
		FILE *f = fopen(argv[optind], "r");

		if (!f) {
			warn("%s", argv[optind]);
			status = 1;
			continue;
		}
		show(f);
		fclose(f);
	}
	return status;
}
