/* SPDX-License-Identifier: GPL-2.0-only */
/* paste [-s] [-d DELIMITERS] [FILE]...: lines of files side by side. */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *delimiters = "\t";

/* The n-th delimiter; a backslash and a letter are one, \0 is none. */
static void put_delimiter(int n)
{
	const char *at = delimiters;

	for (;; at += *at == '\\' && at[1] ? 2 : 1) {
		if (!*at)
			at = delimiters;
		if (!*at)
			return;
		if (n-- == 0)
			break;
	}
	if (*at == '\\' && at[1]) {
		at++;
		if (*at != '0')
			putchar(*at == 'n' ? '\n' : *at == 't' ? '\t' : *at);
	} else {
		putchar(*at);
	}
}

/* One line without its newline; false: there is none. */
static bool copy_line(FILE *f)
{
	int c = f ? getc(f) : EOF;

	if (c == EOF)
		return false;
	for (; c != EOF && c != '\n'; c = getc(f))
		putchar(c);
	return true;
}

static bool has_line(FILE *f)
{
	int c = f ? getc(f) : EOF;

	return c != EOF && ungetc(c, f) != EOF;
}

static void one_after_another(FILE **files, int count)
{
	for (int i = 0; i < count; i++) {
		for (int n = 0; copy_line(files[i]); n++)
			if (has_line(files[i]))
				put_delimiter(n);
		putchar('\n');
	}
}

static void side_by_side(FILE **files, int count)
{
	for (;;) {
		bool any = false;

		for (int i = 0; i < count; i++)
			any |= has_line(files[i]);
		if (!any)
			return;
		for (int i = 0; i < count; i++) {
			copy_line(files[i]);
			if (i + 1 < count)
				put_delimiter(i);
		}
		putchar('\n');
	}
}

int main(int argc, char **argv)
{
	static char *standard_input[] = { "-", NULL };
	bool serial = false;
	int option, count;
	FILE **files;

	while ((option = getopt(argc, argv, "sd:")) >= 0) {
		switch (option) {
		case 's': serial = true; break;
		case 'd': delimiters = optarg; break;
		default: return 1;
		}
	}
	argv = optind < argc ? argv + optind : standard_input;
	count = optind < argc ? argc - optind : 1;
	files = xmalloc(count * sizeof(*files));
	for (int i = 0; i < count; i++) {
		files[i] = strcmp(argv[i], "-") ? fopen(argv[i], "r") : stdin;
		if (!files[i])
			err(1, "%s", argv[i]);
	}
	if (serial)
		one_after_another(files, count);
	else
		side_by_side(files, count);
	return 0;
}
