/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Regular expressions, basic and extended, as POSIX has them; and GNU's \+ \?
 * \| of basic ones, and \w \W \s \S \b \B \< \> of both.
 */
#ifndef REGEX_H
#define REGEX_H

#include <stdbool.h>
#include <stddef.h>

/* The whole and the groups: those that \1 to \9 name, and some more. */
#define REGEX_GROUPS	32

#define REGEX_EXTENDED	1
#define REGEX_ICASE	2
#define REGEX_LINES	4	/* ^ and $ are at each newline as well */

/* text[start] to text[end - 1]; start is NO_MATCH for a group not taken. */
#define NO_MATCH	((size_t)-1)

struct match {
	size_t start;
	size_t end;
};

struct regex;

/* Returns NULL and says why in *error if the expression is not valid. */
struct regex *regex_compile(const char *expression, int flags,
			    const char **error);

int regex_group_count(const struct regex *regex);

/*
 * Finds the first match in text that starts at from or later. matches[0] is the
 * whole of it, matches[n] the n-th group. ^ is the start of text, not from.
 */
bool regex_search(const struct regex *regex, const char *text, size_t length,
		  size_t from, struct match matches[REGEX_GROUPS]);

#endif
