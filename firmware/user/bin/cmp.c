/* SPDX-License-Identifier: GPL-2.0-only */
/* cmp [-s] FILE1 [FILE2]: whether two files are the same, byte for byte. */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static FILE *open_file(const char *path, bool silent)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "r") : stdin;

	if (!f && silent)
		_exit(2);
	if (!f)
		err(2, "%s", path);
	return f;
}

int main(int argc, char **argv)
{
	unsigned long byte = 0, line = 1;
	bool silent = false;
	const char *first, *second;
	int option, a, b;
	FILE *x, *y;

	while ((option = getopt(argc, argv, "s")) >= 0) {
		if (option == '?')
			return 2;
		silent = true;
	}
	if (optind == argc)
		errx(2, "missing operand after 'cmp'");
	first = argv[optind];
	second = optind + 1 < argc ? argv[optind + 1] : "-";
	x = open_file(first, silent);
	y = open_file(second, silent);
	while ((a = getc(x)) == (b = getc(y))) {
		if (a == EOF)
			return 0;
		byte++;
		line += a == '\n';
	}
	if (silent)
		return 1;
	if (a != EOF && b != EOF)
		printf("%s %s differ: char %lu, line %lu\n", first, second,
		       byte + 1, line);
	else if (!byte)
		warnx("EOF on %s which is empty", a == EOF ? first : second);
	else
		warnx("EOF on %s after byte %lu, in line %lu",
		      a == EOF ? first : second, byte, line);
	return 1;
}
