/* SPDX-License-Identifier: GPL-2.0-only */
/* Shell patterns: *, ?, [...]; a backslash makes a character only itself. */
#include <ctype.h>
#include <string.h>

#include "shell.h"

/* One character of a bracket expression; moves on. */
static unsigned char bracket_char(const char **at)
{
	if (**at == '\\' && (*at)[1])
		(*at)++;
	return *(*at)++;
}

/*
 * Matches c with the bracket expression after the [; returns what follows the
 * expression, or NULL if it has no end and so [ is a character.
 */
static const char *match_bracket(const char *at, unsigned char c, bool *matched)
{
	bool negated = *at == '!' || *at == '^';
	bool found = false;
	const char *first;

	at += negated;
	first = at;
	while (*at != ']' || at == first) {
		unsigned char low, high;
		const char *end;

		if (!*at)
			return NULL;
		if (at[0] == '[' && at[1] == ':' && (end = strchr(at + 2, ':')) &&
		    end[1] == ']') {
			found |= is_class(c, at + 2, end - at - 2);
			at = end + 2;
			continue;
		}
		low = high = bracket_char(&at);
		if (at[0] == '-' && at[1] && at[1] != ']') {
			at++;
			high = bracket_char(&at);
		}
		found |= c >= low && c <= high;
	}
	*matched = found != negated;
	return at + 1;
}

bool pattern_match(const char *pattern, const char *text)
{
	for (; *pattern; text++) {
		const char *after;
		bool matched;

		if (*pattern == '*') {
			while (*pattern == '*')
				pattern++;
			if (!*pattern)
				return true;
			for (; *text; text++)
				if (pattern_match(pattern, text))
					return true;
			return pattern_match(pattern, text);
		}
		if (!*text)
			return false;
		if (*pattern == '[') {
			after = match_bracket(pattern + 1, *text, &matched);
			if (after) {
				if (!matched)
					return false;
				pattern = after;
				continue;
			}
		}
		if (*pattern == '?') {
			pattern++;
			continue;
		}
		if (*pattern == '\\' && pattern[1])
			pattern++;
		if (*pattern++ != *text)
			return false;
	}
	return !*text;
}

bool pattern_is_magic(const char *pattern)
{
	bool matched;

	for (; *pattern; pattern++) {
		if (*pattern == '\\' && pattern[1])
			pattern++;
		else if (*pattern == '*' || *pattern == '?')
			return true;
		else if (*pattern == '[' &&
			 match_bracket(pattern + 1, 'x', &matched))
			return true;
	}
	return false;
}

void pattern_unescape(char *pattern)
{
	char *to = pattern;

	for (; *pattern; pattern++) {
		if (*pattern == '\\' && pattern[1])
			pattern++;
		*to++ = *pattern;
	}
	*to = '\0';
}
