/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of diff share. */
#ifndef DIFF_DIFF_H
#define DIFF_DIFF_H

#include <stdbool.h>
#include <stddef.h>

/* Exit statuses. */
enum {
	SAME,
	DIFFERENT,
	TROUBLE,
};

struct options {
	bool brief;		/* -q */
	bool identical;		/* -s: say so */
	bool unified;		/* -u, -U */
	bool recursive;		/* -r */
	bool absent;		/* -N: a file that is not there is empty */
	bool text;		/* -a: no file is binary */
	bool fold;		/* -i */
	bool no_space;		/* -w */
	bool one_space;		/* -b */
	long context;		/* lines around what differs */
};

extern struct options options;

struct line {
	const char *text;
	size_t length;		/* with its newline */
	const char *key;	/* what is compared: without what does not count */
	size_t key_length;
	bool changed;		/* it is in one of the files only */
};

struct file {
	const char *name;
	char *data;
	size_t size;
	struct line *lines;
	long count;
};

/* lines.c: false after a message. */
bool read_file(struct file *file, const char *name);
void free_file(struct file *file);
bool is_binary(const struct file *file);

/* compare.c: marks the lines that have changed. */
void compare_lines(struct file *a, struct file *b);

/* print.c. */
void print_normal(const struct file *a, const struct file *b);
void print_unified(const struct file *a, const struct file *b);

#endif
