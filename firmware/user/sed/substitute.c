/* SPDX-License-Identifier: GPL-2.0-only */
/* sed's s, and the table of its y. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sed.h"

/* A piece of what s puts in: text, then a group (-1: none, 0: all). */
struct piece {
	char fold;		/* U, L, E, u, l: from here on; 0: as before */
	struct text text;
	int group;
	struct piece *next;
};

struct substitution {
	struct regex *regex;	/* NULL: the one used last */
	struct piece *pieces;
	bool global;
	bool print;
	unsigned long number;	/* the match that is the first to be replaced */
	struct output *output;	/* of the w flag */
};

static struct piece *new_piece(char fold)
{
	struct piece *piece = calloc(1, sizeof(*piece));

	text_append(&piece->text, "", 0);
	piece->fold = fold;
	piece->group = -1;
	return piece;
}

static struct piece *read_replacement(const char *at)
{
	struct piece *first = new_piece(0), *last = first;

	for (; *at; at++) {
		char fold = 0;
		int group = -1;

		if (*at == '&') {
			group = 0;
		} else if (*at != '\\' || !at[1]) {
			text_append_char(&last->text, *at);
			continue;
		} else if (isdigit(*++at)) {
			group = *at - '0';
		} else if (strchr("ULEul", *at)) {
			fold = *at;
		} else {
			text_append_char(&last->text, *at);
			continue;
		}
		last->group = group;
		last = last->next = new_piece(fold);
	}
	return first;
}

static void check_references(const struct script *script,
			     const struct substitution *s)
{
	for (struct piece *piece = s->pieces; piece; piece = piece->next)
		if (s->regex && piece->group > regex_group_count(s->regex))
			invalid(script, "invalid reference \\%d on `s' "
				"command's RHS", piece->group);
}

static void read_flag_once(struct script *script, bool *flag)
{
	if (*flag)
		unexpected(script, "multiple `%c' options to `s' command",
			   *script->at);
	*flag = true;
	script->at++;
}

static void read_number(struct script *script, struct substitution *s)
{
	unsigned long number = read_count(script);

	if (s->number)
		invalid(script, "multiple number options to `s' command");
	if (number == 0)
		invalid(script,
			"number option to `s' command may not be zero");
	s->number = number;
}

/* Returns those that are the regular expression's. */
static int read_flags(struct script *script, struct substitution *s)
{
	int flags = 0;

	for (;;) {
		char c = *script->at;

		if (c == 'g') {
			read_flag_once(script, &s->global);
		} else if (c == 'p') {
			read_flag_once(script, &s->print);
		} else if (isdigit(c)) {
			read_number(script, s);
		} else if (c == 'w') {
			script->at++;
			s->output = open_output(read_file_name(script));
			return flags;
		} else if (c == 'i' || c == 'I') {
			flags |= REGEX_ICASE;
			script->at++;
		} else if (c == 'm' || c == 'M') {
			flags |= REGEX_LINES;
			script->at++;
		} else if (isblank(c)) {
			script->at++;
		} else {
			if (c && !strchr(";}\n#", c))
				unexpected(script, "unknown option to `s'");
			return flags;
		}
	}
}

struct substitution *read_substitution(struct script *script)
{
	struct substitution *s = calloc(1, sizeof(*s));
	char delimiter = *script->at;
	char *regex, *replacement;
	int flags;

	if (delimiter)
		script->at++;
	regex = read_delimited(script, delimiter, true);
	replacement = regex ? read_delimited(script, delimiter, false) : NULL;
	if (!replacement)
		invalid(script, "unterminated `s' command");
	flags = read_flags(script, s);
	if (!s->number)
		s->number = 1;
	s->regex = read_regex(script, regex, flags);
	s->pieces = read_replacement(replacement);
	check_references(script, s);
	free(regex);
	free(replacement);
	return s;
}

/* What is left to do to letters that are put in. */
struct folding {
	char all;		/* U, L, or E: nothing */
	char next;		/* u, l, or 0 */
};

static void append_folded(struct text *to, struct folding *folding,
			  const char *bytes, size_t length)
{
	for (; length--; bytes++) {
		char how = folding->next ? folding->next : folding->all;

		text_append_char(to, toupper(how) == 'U' ? toupper(*bytes) :
				     toupper(how) == 'L' ? tolower(*bytes) :
							   *bytes);
		folding->next = 0;
	}
}

static void append_replacement(struct text *to, const struct piece *piece,
			       const struct match *matches)
{
	struct folding folding = { 'E', 0 };

	for (; piece; piece = piece->next) {
		const struct match *group = &matches[piece->group];

		if (isupper(piece->fold))
			folding = (struct folding){ piece->fold, 0 };
		else if (piece->fold)
			folding.next = piece->fold;
		append_folded(to, &folding, piece->text.bytes,
			      piece->text.length);
		if (piece->group >= 0 && group->start != NO_MATCH)
			append_folded(to, &folding, space.bytes + group->start,
				      group->end - group->start);
	}
}

/*
 * An empty match right after a match is none: s/a*$/x/g makes "baa" "bx".
 */
static bool replace(const struct substitution *s)
{
	static struct text result;
	struct match matches[REGEX_GROUPS];
	size_t copied = 0, from = 0, last_end = NO_MATCH;
	unsigned long count = 0;
	bool replaced = false;

	result.length = 0;
	while (from <= space.length && search(s->regex, from, matches)) {
		size_t start = matches[0].start;
		size_t end = matches[0].end;

		if (start != end || start != last_end)
			count++;
		if ((start != end || start != last_end) && count >= s->number) {
			text_append(&result, space.bytes + copied,
				    start - copied);
			append_replacement(&result, s->pieces, matches);
			copied = end;
			replaced = true;
			if (!s->global)
				break;
		}
		last_end = end;
		from = start == end ? end + 1 : end;
	}
	if (!replaced)
		return false;
	text_append(&result, space.bytes + copied, space.length - copied);
	result.newline = space.newline;
	text_swap(&space, &result);
	return true;
}

bool substitute(const struct substitution *s)
{
	if (!replace(s))
		return false;
	if (s->print)
		put_line(output, space.bytes, space.length, space.newline);
	if (s->output)
		put_line(s->output, space.bytes, space.length, space.newline);
	return true;
}

/* In place: what a backslash keeps from being the delimiter or one itself. */
static size_t unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (*from == '\\' && from[1])
			from++;
		*to++ = *from;
	}
	return to - text;
}

unsigned char *read_map(struct script *script)
{
	unsigned char *map = xmalloc(256);
	char delimiter = *script->at;
	char *from, *to;
	size_t length;

	if (delimiter)
		script->at++;
	from = read_delimited(script, delimiter, false);
	to = from ? read_delimited(script, delimiter, false) : NULL;
	if (!to)
		invalid(script, "unterminated `y' command");
	length = unescape(from);
	if (length != unescape(to))
		invalid(script,
			"strings for `y' command are different lengths");
	for (int c = 0; c < 256; c++)
		map[c] = c;
	while (length--)
		map[(unsigned char)from[length]] = to[length];
	free(from);
	free(to);
	return map;
}
