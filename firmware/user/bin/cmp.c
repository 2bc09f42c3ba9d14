/* SPDX-License-Identifier: GPL-2.0-only */
/* cmp [-ls] FILE1 [FILE2]: whether two files are the same, byte for byte. */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
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

/* Numbers of bytes are as wide as the size of the shorter file. */
static int number_width(const FILE *x, const FILE *y)
{
	unsigned long shorter = -1UL;
	int width = 1;
	struct stat st;

	if (fstat(fileno(x), &st) == 0 && S_ISREG(st.st_mode))
		shorter = st.st_size;
	if (fstat(fileno(y), &st) == 0 && S_ISREG(st.st_mode) &&
	    (unsigned long)st.st_size < shorter)
		shorter = st.st_size;
	while (shorter /= 10)
		width++;
	return width;
}

int main(int argc, char **argv)
{
	unsigned long byte = 0, line = 1;
	bool list = false, silent = false, differ = false;
	const char *first, *second;
	int option, width, a, b;
	FILE *x, *y;

	while ((option = getopt(argc, argv, "ls")) >= 0) {
		if (option == '?')
			return 2;
		list |= option == 'l';
		silent |= option == 's';
	}
	if (optind == argc)
		errx(2, "missing operand after 'cmp'");
	first = argv[optind];
	second = optind + 1 < argc ? argv[optind + 1] : "-";
	x = open_file(first, silent);
	y = open_file(second, silent);
	width = number_width(x, y);
	do {
		a = getc(x);
		b = getc(y);
		byte++;
		if (a == b) {
			line += a == '\n';
			continue;
		}
		if (silent)
			return 1;
		differ = true;
		if (a == EOF || b == EOF) {
			if (fflush(stdout) < 0)
				return 2;
			if (byte == 1)
				warnx("EOF on %s which is empty",
				      a == EOF ? first : second);
			else if (list)
				warnx("EOF on %s after byte %lu",
				      a == EOF ? first : second, byte - 1);
			else
				warnx("EOF on %s after byte %lu, in line %lu",
				      a == EOF ? first : second, byte - 1, line);
			return 1;
		}
		if (!list) {
			printf("%s %s differ: char %lu, line %lu\n", first,
			       second, byte, line);
			return 1;
		}
		printf("%*lu %3o %3o\n", width, byte, a, b);
	} while (a != EOF && b != EOF);
	return differ;
}
