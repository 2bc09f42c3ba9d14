/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * awk [-F FS] [-v NAME=VALUE]... [-f FILE]... [PROGRAM] [FILE]...: POSIX's awk.
 * A file may also be NAME=VALUE, which is assigned when its turn comes.
 */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "awk.h"

static char *source;

static void add_source(const char *text, size_t length)
{
	size_t had = source ? strlen(source) : 0;

	source = xrealloc(source, had + length + 2);
	memcpy(source + had, text, length);
	source[had + length] = '\n';
	source[had + length + 1] = '\0';
}

static void add_source_file(const char *path)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "r") : stdin;
	char *line = NULL;
	size_t size = 0;
	ssize_t length;

	if (!f)
		err(2, "cannot open %s", path);
	add_source("", 0);
	while ((length = getline(&line, &size, f)) > 0)
		add_source(line, length - (line[length - 1] == '\n'));
	free(line);
	if (f != stdin)
		fclose(f);
}

static void set_separator(const char *text)
{
	struct node fs = { .kind = N_GLOBAL, .number = V_FS };
	struct value value;
	size_t length;
	char *meant;

	/* -Ft has always meant a tab. */
	meant = !strcmp(text, "t") ? strdup("\t") :
		unescape(text, strlen(text), &length);
	value = assign(&fs, value_string(meant, strlen(meant)));
	value_free(&value);
	free(meant);
}

int main(int argc, char **argv)
{
	const char *separator = NULL, **assignments;
	int option, assignment_count = 0;

	assignments = xmalloc(argc * sizeof(*assignments));
	while ((option = getopt(argc, argv, "+F:v:f:")) != -1) {
		switch (option) {
		case 'F':
			separator = optarg;
			break;
		case 'v':
			assignments[assignment_count++] = optarg;
			break;
		case 'f':
			add_source_file(optarg);
			break;
		default:
			fputs("usage: awk [-F FS] [-v NAME=VALUE] [-f FILE | PROGRAM] [FILE]...\n",
			      stderr);
			return 2;
		}
	}
	if (!source) {
		if (optind == argc)
			errx(2, "a program is missing");
		add_source(argv[optind], strlen(argv[optind]));
		optind++;
	}
	argv[--optind] = argv[0];
	variables_init(argv + optind, argc - optind);
	parse_program(source);
	if (separator)
		set_separator(separator);
	for (int i = 0; i < assignment_count; i++)
		if (!assign_argument(assignments[i]))
			errx(2, "-v %s: NAME=VALUE is needed", assignments[i]);
	run_program();
	if (streams_close() < 0 && !exit_status) {
		warn("cannot write");
		exit_status = 2;
	}
	return exit_status & 0xff;
}
