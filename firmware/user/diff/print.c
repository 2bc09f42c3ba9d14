/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs, as ed's commands or with lines around it. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "diff.h"

/* Lines x0 to x1 - 1 of a are y0 to y1 - 1 in b. */
struct change {
	long x0, x1, y0, y1;
};

/* The first one from these lines on; false: there is none. */
static bool next_change(const struct file *a, const struct file *b, long x,
			long y, struct change *change)
{
	while (x < a->count && y < b->count && !a->lines[x].changed &&
	       !b->lines[y].changed)
		x++, y++;
	change->x0 = x;
	change->y0 = y;
	while (x < a->count && a->lines[x].changed)
		x++;
	while (y < b->count && b->lines[y].changed)
		y++;
	change->x1 = x;
	change->y1 = y;
	return x > change->x0 || y > change->y0;
}

static void print_line(const char *mark, const struct line *line)
{
	fputs(mark, stdout);
	fwrite(line->text, 1, line->length, stdout);
	if (line->text[line->length - 1] != '\n')
		puts("\n\\ No newline at end of file");
}

static void print_lines(const char *mark, const struct line *from,
			const struct line *to)
{
	for (; from < to; from++)
		print_line(mark, from);
}

/* Of no lines, the one before. */
static void print_numbers(long from, long to)
{
	if (to - from > 1)
		printf("%ld,%ld", from + 1, to);
	else
		printf("%ld", to);
}

void print_normal(const struct file *a, const struct file *b)
{
	struct change c = { .x1 = 0 };

	while (next_change(a, b, c.x1, c.y1, &c)) {
		print_numbers(c.x0, c.x1);
		putchar(c.x0 == c.x1 ? 'a' : c.y0 == c.y1 ? 'd' : 'c');
		print_numbers(c.y0, c.y1);
		putchar('\n');
		print_lines("< ", a->lines + c.x0, a->lines + c.x1);
		if (c.x0 < c.x1 && c.y0 < c.y1)
			puts("---");
		print_lines("> ", b->lines + c.y0, b->lines + c.y1);
	}
}

static void print_header(const char *mark, const char *name)
{
	struct stat st;
	char text[64];
	struct tm tm;
	time_t when;

	if ((strcmp(name, "-") ? stat(name, &st) : fstat(0, &st)) < 0)
		memset(&st, 0, sizeof(st));
	when = st.st_mtime;
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S",
		 gmtime_r(&when, &tm));
	printf("%s %s\t%s.%09lu +0000\n", mark, name, text,
	       (unsigned long)st.st_mtime_nsec);
}

static void print_range(char mark, long from, long to)
{
	printf("%c%ld", mark, to > from ? from + 1 : from);
	if (to - from != 1)
		printf(",%ld", to - from);
}

/* Changes that lie so near that the lines around them would overlap. */
static struct change hunk_of(const struct file *a, const struct file *b,
			     struct change first)
{
	struct change hunk = first, next;

	while (next_change(a, b, hunk.x1, hunk.y1, &next) &&
	       next.x0 - hunk.x1 <= 2 * options.context) {
		hunk.x1 = next.x1;
		hunk.y1 = next.y1;
	}
	return hunk;
}

static void print_hunk(const struct file *a, const struct file *b,
		       struct change hunk)
{
	long before = hunk.x0 < options.context ? hunk.x0 : options.context;
	long rest = a->count - hunk.x1;
	long after = rest < options.context ? rest : options.context;
	struct change c;
	long x = hunk.x0 - before, y = hunk.y0 - before;

	printf("@@ ");
	print_range('-', x, hunk.x1 + after);
	putchar(' ');
	print_range('+', y, hunk.y1 + after);
	puts(" @@");
	while (next_change(a, b, x, y, &c) && c.x1 <= hunk.x1 &&
	       c.y1 <= hunk.y1) {
		print_lines(" ", a->lines + x, a->lines + c.x0);
		print_lines("-", a->lines + c.x0, a->lines + c.x1);
		print_lines("+", b->lines + c.y0, b->lines + c.y1);
		x = c.x1;
		y = c.y1;
	}
	print_lines(" ", a->lines + x, a->lines + hunk.x1 + after);
}

void print_unified(const struct file *a, const struct file *b)
{
	struct change c = { .x1 = 0 };

	print_header("---", a->name);
	print_header("+++", b->name);
	while (next_change(a, b, c.x1, c.y1, &c)) {
		c = hunk_of(a, b, c);
		print_hunk(a, b, c);
	}
}
