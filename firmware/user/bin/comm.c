/* SPDX-License-Identifier: GPL-2.0-only */
/* comm [-123] FILE1 FILE2: lines of the first, the second and both, if sorted. */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct side {
	FILE *file;
	char *line;		/* NULL: there are no more */
	size_t size;
};

static bool hidden[3];		/* the columns that are left out */

static void next(struct side *side)
{
	ssize_t length = getline(&side->line, &side->size, side->file);

	if (length < 0) {
		free(side->line);
		side->line = NULL;
	} else if (side->line[length - 1] == '\n') {
		side->line[length - 1] = '\0';
	}
}

static void start(struct side *side, const char *name)
{
	side->file = strcmp(name, "-") ? fopen(name, "r") : stdin;
	if (!side->file)
		err(1, "%s", name);
	next(side);
}

static void print(int column, const char *line)
{
	if (hidden[column])
		return;
	for (int i = 0; i < column; i++)
		if (!hidden[i])
			putchar('\t');
	puts(line);
}

int main(int argc, char **argv)
{
	struct side a = { .size = 0 }, b = { .size = 0 };
	int option;

	while ((option = getopt(argc, argv, "123")) >= 0) {
		if (option == '?')
			return 1;
		hidden[option - '1'] = true;
	}
	if (argc - optind < 2)
		errx(1, "missing operand after '%s'", argv[argc - 1]);
	if (argc - optind > 2)
		errx(1, "extra operand '%s'", argv[optind + 2]);
	start(&a, argv[optind]);
	start(&b, argv[optind + 1]);
	while (a.line || b.line) {
		int order = !a.line ? 1 : !b.line ? -1 : strcmp(a.line, b.line);

		print(order < 0 ? 0 : order > 0 ? 1 : 2,
		      order > 0 ? b.line : a.line);
		if (order <= 0)
			next(&a);
		if (order >= 0)
			next(&b);
	}
	return 0;
}
