/* SPDX-License-Identifier: GPL-2.0-only */
/* Shell patterns. */
#ifndef FNMATCH_H
#define FNMATCH_H

#define FNM_NOMATCH	1
#define FNM_CASEFOLD	16

/* 0 if the whole text matches. A backslash makes a character only itself. */
int fnmatch(const char *pattern, const char *text, int flags);

/* What follows the bracket expression of which text is the [; NULL: it is none. */
const char *fnmatch_bracket_end(const char *text);

#endif
