/* SPDX-License-Identifier: GPL-2.0-only */
/* seq [-w] [-s TEXT] [FIRST [STEP]] LAST: whole numbers, one a line. */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long number(const char *text)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (end == text || *end)
		errx(1, "invalid floating point argument: '%s'", text);
	return value;
}

/* A negative number is no option. */
static bool is_number(const char *text)
{
	return text[0] == '-' && text[1] >= '0' && text[1] <= '9';
}

static int width(long value)
{
	return snprintf(NULL, 0, "%ld", value);
}

int main(int argc, char **argv)
{
	const char *separator = "\n";
	long first = 1, step = 1, last;
	bool equal = false, any = false;
	int option, digits = 0;

	while (optind < argc && !is_number(argv[optind]) &&
	       (option = getopt(argc, argv, "+ws:")) >= 0) {
		if (option == 'w')
			equal = true;
		else if (option == 's')
			separator = optarg;
		else
			return 1;
	}
	argc -= optind;
	argv += optind;
	if (argc < 1)
		errx(1, "missing operand");
	if (argc > 3)
		errx(1, "extra operand '%s'", argv[3]);
	if (argc > 1)
		first = number(argv[0]);
	if (argc > 2)
		step = number(argv[1]);
	last = number(argv[argc - 1]);
	if (step == 0)
		errx(1, "invalid Zero increment value: '%s'", argv[1]);
	if (equal)
		digits = width(first) > width(last) ? width(first) : width(last);
	for (long value = first; step > 0 ? value <= last : value >= last;) {
		printf("%s%0*ld", any ? separator : "", digits, value);
		any = true;
		if (__builtin_add_overflow(value, step, &value))
			break;
	}
	if (any)
		fputc('\n', stdout);
	return 0;
}
