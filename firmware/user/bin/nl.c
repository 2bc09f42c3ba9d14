/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nl [-b a|t|n] [-n ln|rn|rz] [-s SEPARATOR] [-v FIRST] [-i STEP] [-w WIDTH]
 * [FILE]...: lines with their numbers, by itself those that are not empty.
 */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char which = 't';
static const char *format = "rn", *separator = "\t";
static long number = 1, step = 1, width = 6;

static long count(const char *text, const char *what)
{
	long value = parse_number(text);

	if (value < 0)
		errx(1, "invalid %s: '%s'", what, text);
	return value;
}

static void show(FILE *f)
{
	static char *line;
	static size_t size;
	ssize_t length;

	while ((length = getline(&line, &size, f)) > 0) {
		bool newline = line[length - 1] == '\n';

		if (which == 'a' || (which == 't' && length > newline)) {
			printf(!strcmp(format, "ln") ? "%-*ld%s" :
			       !strcmp(format, "rz") ? "%0*ld%s" : "%*ld%s",
			       (int)width, number, separator);
			number += step;
		} else {
			printf("%*s", (int)(width + strlen(separator)), "");
		}
		fwrite(line, 1, length, stdout);
		if (!newline)
			putchar('\n');
	}
}

int main(int argc, char **argv)
{
	int option, status = 0;

	while ((option = getopt(argc, argv, "b:n:s:v:i:w:")) >= 0) {
		switch (option) {
		case 'b': which = *optarg; break;
		case 'n': format = optarg; break;
		case 's': separator = optarg; break;
		case 'v': number = count(optarg, "starting line number"); break;
		case 'i': step = count(optarg, "line number increment"); break;
		case 'w': width = count(optarg, "line number field width"); break;
		default: return 1;
		}
	}
	if (!strchr("atn", which))
		errx(1, "invalid body numbering style: '%c'", which);
	if (strcmp(format, "ln") && strcmp(format, "rn") && strcmp(format, "rz"))
		errx(1, "invalid line numbering format: '%s'", format);
	if (optind == argc)
		show(stdin);
	for (; optind < argc; optind++) {
		const char *name = argv[optind];
		FILE *f = strcmp(name, "-") ? fopen(name, "r") : stdin;

		if (!f) {
			warn("%s", name);
			status = 1;
			continue;
		}
		show(f);
		if (f != stdin)
			fclose(f);
	}
	return status;
}
