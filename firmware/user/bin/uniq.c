/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * uniq [-cdiu] [-f FIELDS] [-s CHARS] [-w CHARS] [INPUT [OUTPUT]]: no line twice
 * running.
 */
#include <ctype.h>
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool counts, repeated, single, fold;
static long fields, characters, width = -1;

static long number(const char *text, const char *what)
{
	long value = parse_number(text);

	if (value < 0)
		errx(1, "%s: invalid number of %s", text, what);
	return value;
}

static const char *compared(const char *line)
{
	for (long i = 0; i < fields && *line; i++) {
		while (isblank(*line))
			line++;
		while (*line && !isblank(*line))
			line++;
	}
	for (long i = 0; i < characters && *line; i++)
		line++;
	return line;
}

static bool same(const char *a, const char *b)
{
	a = compared(a);
	b = compared(b);
	if (width >= 0)
		return !(fold ? strncasecmp(a, b, width) :
				strncmp(a, b, width));
	return !(fold ? strcasecmp(a, b) : strcmp(a, b));
}

static void print(FILE *out, const char *line, unsigned long count)
{
	if (!line || (repeated && count == 1) || (single && count > 1))
		return;
	if (counts)
		fprintf(out, "%7lu ", count);
	fputs(line, out);
	fputc('\n', out);
}

int main(int argc, char **argv)
{
	FILE *in = stdin, *out = stdout;
	unsigned long count = 0;
	char *line = NULL, *last = NULL;
	size_t size = 0;
	ssize_t length;
	int option;

	while ((option = getopt(argc, argv, "cduif:s:w:")) >= 0) {
		switch (option) {
		case 'c': counts = true; break;
		case 'd': repeated = true; break;
		case 'u': single = true; break;
		case 'i': fold = true; break;
		case 'f': fields = number(optarg, "fields to skip"); break;
		case 's': characters = number(optarg, "bytes to skip"); break;
		case 'w': width = number(optarg, "bytes to compare"); break;
		default: return 1;
		}
	}
	if (optind < argc && strcmp(argv[optind], "-")) {
		in = fopen(argv[optind], "r");
		if (!in)
			err(1, "%s", argv[optind]);
	}
	if (optind + 1 < argc) {
		out = fopen(argv[optind + 1], "w");
		if (!out)
			err(1, "%s", argv[optind + 1]);
	}
	while ((length = getline(&line, &size, in)) > 0) {
		if (line[length - 1] == '\n')
			line[length - 1] = '\0';
		if (last && same(last, line)) {
			count++;
			continue;
		}
		print(out, last, count);
		free(last);
		last = xstrdup(line);
		count = 1;
	}
	print(out, last, count);
	if (out != stdout && fclose(out) < 0)
		err(1, "write error");
	return 0;
}
