/* SPDX-License-Identifier: GPL-2.0-only */
/* Shell patterns: *, ?, [...]; a backslash makes a character only itself. */
#include <ctype.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static int fold(int c, int flags)
{
	return flags & FNM_CASEFOLD ? tolower(c) : c;
}

/* One character of a bracket expression; moves on. */
static int bracket_char(const char **at)
{
	if (**at == '\\' && (*at)[1])
		(*at)++;
	return (unsigned char)*(*at)++;
}

/* [:name:] at the text: passes it; and whether c is of that class. */
static bool bracket_class(const char **at, int c, bool *found)
{
	const char *end;

	if ((*at)[0] != '[' || (*at)[1] != ':')
		return false;
	end = strchr(*at + 2, ':');
	if (!end || end[1] != ']')
		return false;
	*found |= is_class(c, *at + 2, end - *at - 2);
	*at = end + 2;
	return true;
}

/*
 * Matches c with the bracket expression after the [; returns what follows the
 * expression, or NULL if it has no end and so [ is a character.
 */
static const char *match_bracket(const char *at, int c, int flags,
				 bool *matched)
{
	bool negated = *at == '!' || *at == '^';
	bool found = false;
	const char *first;

	at += negated;
	first = at;
	c = fold(c, flags);
	while (*at != ']' || at == first) {
		int low, high;

		if (!*at)
			return NULL;
		if (bracket_class(&at, c, &found))
			continue;
		low = high = fold(bracket_char(&at), flags);
		if (at[0] == '-' && at[1] && at[1] != ']') {
			at++;
			high = fold(bracket_char(&at), flags);
		}
		found |= c >= low && c <= high;
	}
	*matched = found != negated;
	return at + 1;
}

const char *fnmatch_bracket_end(const char *text)
{
	bool matched;

	return match_bracket(text + 1, 'x', 0, &matched);
}

/* The pattern after what takes the one character c; NULL: it does not. */
static const char *match_one(const char *pattern, int c, int flags)
{
	const char *after;
	bool matched;

	if (*pattern == '?')
		return pattern + 1;
	if (*pattern == '[') {
		after = match_bracket(pattern + 1, c, flags, &matched);
		if (after)
			return matched ? after : NULL;
	}
	if (*pattern == '\\' && pattern[1])
		pattern++;
	return fold((unsigned char)*pattern, flags) == fold(c, flags) ?
	       pattern + 1 : NULL;
}

/* Only the last * seen may have to take more: what precedes it has matched. */
int fnmatch(const char *pattern, const char *text, int flags)
{
	const char *star = NULL, *taken = NULL;

	for (;;) {
		const char *after = NULL;

		if (*pattern == '*') {
			star = ++pattern;
			taken = text;
			continue;
		}
		if (!*text && !*pattern)
			return 0;
		if (*text && *pattern)
			after = match_one(pattern, (unsigned char)*text, flags);
		if (after) {
			pattern = after;
			text++;
		} else if (star && *taken) {
			pattern = star;
			text = ++taken;
		} else {
			return FNM_NOMATCH;
		}
	}
}
