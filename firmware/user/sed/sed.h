/* SPDX-License-Identifier: GPL-2.0-only */
/* What a sed script is once it has been read. */
#ifndef SED_SED_H
#define SED_SED_H

#include <regex.h>

enum address_kind {
	ADDRESS_NONE,
	ADDRESS_LINE,
	ADDRESS_LAST,		/* $ */
	ADDRESS_REGEX,
};

struct address {
	enum address_kind kind;
	unsigned long line;
	struct regex *regex;	/* NULL: the one used last */
};

/* A piece of what s/// puts in: text, then a group (-1: none, 0: all). */
struct piece {
	char *text;
	size_t length;
	int group;
	struct piece *next;
};

struct substitution {
	struct regex *regex;	/* NULL: the one used last */
	struct piece *pieces;
	bool global;
	bool print;
	unsigned long number;	/* the match that is the first to be replaced */
};

struct command {
	struct address from;
	struct address to;
	bool negated;
	bool in_range;		/* between from and to */
	char name;
	int exit_status;	/* q */
	struct substitution substitution;
	struct command *next;
};

/* REGEX_EXTENDED, or 0. */
extern int regex_flags;

/* Adds the commands of one script, the number-th given, to the list. */
void parse_script(const char *text, int number, struct command **list);

/* Runs the script over the files; returns sed's exit status. */
int run_script(struct command *script, char **files, bool quiet);

#endif
