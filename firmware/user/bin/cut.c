/* SPDX-License-Identifier: GPL-2.0-only */
/* cut -f|-c|-b LIST [-d C] [-s] [FILE]...: parts of each line. */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct range {
	unsigned long from;
	unsigned long to;
	struct range *next;
};

static struct range *ranges;
static bool fields, only_delimited;
static char delimiter = '\t';

static void parse_list(char *text)
{
	char *part;

	while ((part = strsep(&text, ", "))) {
		struct range *range = xmalloc(sizeof(*range));
		char *end;

		range->from = 1;
		end = part;
		if (*part != '-')
			range->from = range->to = strtoul(part, &end, 10);
		if (*end == '-') {
			const char *second = end + 1;

			range->to = strtoul(second, &end, 10);
			if (end == second)
				range->to = -1UL;
		}
		if (*end || !*part || !strcmp(part, "-"))
			errx(1, "invalid %s range", fields ? "field" :
			     "byte/character");
		if (range->from == 0)
			errx(1, "%s are numbered from 1", fields ? "fields" :
			     "byte/character positions");
		if (range->to < range->from)
			errx(1, "invalid decreasing range");
		range->next = ranges;
		ranges = range;
	}
}

static bool selected(unsigned long number)
{
	for (struct range *r = ranges; r; r = r->next)
		if (number >= r->from && number <= r->to)
			return true;
	return false;
}

static void cut_characters(const char *line, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (selected(i + 1))
			fputc(line[i], stdout);
	fputc('\n', stdout);
}

static void cut_fields(const char *line, size_t length)
{
	const char *end = line + length;
	unsigned long number = 1;
	bool any = false;

	if (!memchr(line, delimiter, length)) {
		if (!only_delimited) {
			fwrite(line, 1, length, stdout);
			fputc('\n', stdout);
		}
		return;
	}
	for (;; number++) {
		const char *next = memchr(line, delimiter, end - line);
		size_t size = (next ? next : end) - line;

		if (selected(number)) {
			if (any)
				fputc(delimiter, stdout);
			fwrite(line, 1, size, stdout);
			any = true;
		}
		if (!next)
			break;
		line = next + 1;
	}
	fputc('\n', stdout);
}

static void cut(FILE *f)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t length;

	while ((length = getline(&line, &size, f)) > 0) {
		length -= line[length - 1] == '\n';
		if (fields)
			cut_fields(line, length);
		else
			cut_characters(line, length);
	}
	free(line);
}

int main(int argc, char **argv)
{
	static const struct long_option names[] = {
		{ "fields", 'f' }, { "characters", 'c' }, { "bytes", 'b' },
		{ "delimiter", 'd' }, { "only-delimited", 's' }, { NULL, 0 }
	};
	bool delimited = false;
	char *list = NULL;
	int option, status = 0;

	while ((option = getopt_long(argc, argv, "f:c:b:d:s", names)) >= 0) {
		switch (option) {
		case 'f':
		case 'c':
		case 'b':
			if (list)
				errx(1, "only one list may be specified");
			fields = option == 'f';
			list = optarg;
			break;
		case 'd':
			if (strlen(optarg) > 1)
				errx(1, "the delimiter must be a single character");
			delimiter = *optarg;
			delimited = true;
			break;
		case 's':
			only_delimited = true;
			break;
		default:
			return 1;
		}
	}
	if (!list)
		errx(1, "you must specify a list of bytes, characters, or fields");
	if (delimited && !fields)
		errx(1, "an input delimiter may be specified only when "
		     "operating on fields");
	if (only_delimited && !fields)
		errx(1, "suppressing non-delimited lines makes sense\n"
		     "\tonly when operating on fields");
	parse_list(list);
	if (optind == argc)
		cut(stdin);
	for (; optind < argc; optind++) {
		bool input = !strcmp(argv[optind], "-");
		FILE *f = input ? stdin : fopen(argv[optind], "r");

		if (!f) {
			warn("%s", argv[optind]);
			status = 1;
			continue;
		}
		cut(f);
		if (!input)
			fclose(f);
	}
	return status;
}
