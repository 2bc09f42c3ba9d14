/* SPDX-License-Identifier: GPL-2.0-only */
/* Shell patterns: *, ?, [...]; a backslash makes a character only itself. */
#include <fnmatch.h>

#include "shell.h"

bool pattern_match(const char *pattern, const char *text)
{
	return fnmatch(pattern, text, 0) == 0;
}

bool pattern_is_magic(const char *pattern)
{
	for (; *pattern; pattern++) {
		if (*pattern == '\\' && pattern[1])
			pattern++;
		else if (*pattern == '*' || *pattern == '?')
			return true;
		else if (*pattern == '[' && fnmatch_bracket_end(pattern))
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
