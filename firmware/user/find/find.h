/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of find share. */
#ifndef FIND_FIND_H
#define FIND_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

enum kind {
	AND, OR, NOT, NAME, INAME, PATH, TYPE, SIZE, EMPTY, NEWER, EXEC, PRINT,
	PRINT0, DELETE, PRUNE, QUIT, TRUE, FALSE,
};

/* A node of the expression; what it uses depends on its kind. */
struct test {
	enum kind kind;
	struct test *left;		/* of AND and OR; of NOT the only one */
	struct test *right;
	const char *text;		/* a pattern, a type, a file's name */
	struct stat than;		/* -newer */
	long number;			/* -size: more than it if ... */
	char sign;			/* ... '+', less if '-', else as much */
	unsigned long unit;
	char **command;			/* -exec */
	bool many;			/* -exec ... + */
	char **collected;		/* paths for it */
	size_t count;
	struct test *next_many;
};

struct options {
	bool acts;			/* a test prints or changes something */
	bool depth_first;
	bool one_device;
	long min_depth;
	long max_depth;
};

extern struct options options;
extern bool pruned;			/* not into this folder */
extern int status;

/* parse.c: the expression; NULL-terminated words. */
struct test *new_test(enum kind kind);
struct test *new_pair(enum kind kind, struct test *left, struct test *right);
struct test *parse(char **words);

/* test.c: true if it holds for the file; may do what it is to do with it. */
bool holds(struct test *test, const char *path, const struct stat *st);

/* command.c */
bool execute(const struct test *test, const char *path);
void collect(struct test *test, const char *path);
void run_collected(void);

/* main.c: what was collected is still done. */
void finish(void) __attribute__((noreturn));

#endif
