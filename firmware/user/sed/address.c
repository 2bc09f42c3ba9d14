/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines that a command of sed is for. */
#include <ctype.h>
#include <string.h>

#include "sed.h"

static void read_number(struct script *script, struct address *address)
{
	address->kind = ADDRESS_LINE;
	address->line = read_count(script);
	skip_blanks(script);
	if (*script->at != '~')
		return;
	script->at++;
	skip_blanks(script);
	address->step = read_count(script);
	/* 3~0 is line 3 alone. */
	if (address->step)
		address->kind = ADDRESS_STEP;
}

static void read_pattern(struct script *script, struct address *address)
{
	char delimiter = '/';
	int flags = 0;
	char *text;

	if (*script->at == '\\')
		delimiter = *++script->at;
	if (*script->at)
		script->at++;
	address->kind = ADDRESS_REGEX;
	text = read_delimited(script, delimiter, true);
	if (!text)
		invalid(script, "unterminated address regex");
	for (; *script->at == 'I' || *script->at == 'M'; script->at++)
		flags |= *script->at == 'I' ? REGEX_ICASE : REGEX_LINES;
	address->regex = read_regex(script, text, flags);
}

static void read_address(struct script *script, struct address *address)
{
	char c = *script->at;

	address->kind = ADDRESS_NONE;
	if (isdigit(c)) {
		read_number(script, address);
	} else if (c == '$') {
		address->kind = ADDRESS_LAST;
		script->at++;
	} else if (c == '/' || c == '\\') {
		read_pattern(script, address);
	} else if (c == '+' || c == '~') {
		script->at++;
		address->kind = c == '+' ? ADDRESS_PLUS : ADDRESS_MULTIPLE;
		address->line = read_count(script);
	}
}

void read_range(struct script *script, struct range *range)
{
	struct address *from = &range->from, *to = &range->to;

	if (*script->at == '+' || *script->at == '~') {
		read_address(script, from);
		invalid(script,
			"invalid usage of +N or ~N as first address");
	}
	read_address(script, from);
	skip_blanks(script);
	if (from->kind != ADDRESS_NONE && *script->at == ',') {
		script->at++;
		skip_blanks(script);
		read_address(script, to);
		if (to->kind == ADDRESS_NONE)
			unexpected(script, "unexpected `,'");
		skip_blanks(script);
	}
	if (*script->at == '!') {
		range->negated = true;
		script->at++;
		skip_blanks(script);
		if (*script->at == '!')
			unexpected(script, "multiple `!'s");
	}
	if (from->kind == ADDRESS_LINE && from->line == 0 &&
	    to->kind != ADDRESS_REGEX)
		unexpected(script, "invalid usage of line address 0");
	range_reset(range);
}

/* 0,/x/ is open before the first line is read, which may close it. */
void range_reset(struct range *range)
{
	range->inside = range->from.kind == ADDRESS_LINE &&
			range->from.line == 0;
}

static bool address_matches(const struct address *address)
{
	struct match matches[REGEX_GROUPS];

	switch (address->kind) {
	case ADDRESS_LINE:
		return line_number == address->line;
	case ADDRESS_STEP:
		return line_number >= address->line &&
		       (line_number - address->line) % address->step == 0;
	case ADDRESS_LAST:
		return at_end();
	case ADDRESS_REGEX:
		return search(address->regex, 0, matches);
	default:
		return true;
	}
}

/* Whether it goes on after the line that starts it. */
static bool starts(struct range *range)
{
	const struct address *to = &range->to;

	switch (to->kind) {
	case ADDRESS_LINE:
		range->end = to->line;
		break;
	case ADDRESS_PLUS:
		range->end = line_number + to->line;
		break;
	case ADDRESS_MULTIPLE:
		range->end = to->line ? (line_number + to->line - 1) /
					to->line * to->line : 0;
		break;
	case ADDRESS_LAST:
		return !at_end();
	default:
		return true;
	}
	return line_number < range->end;
}

/* The line that starts a range is in it, and may be all of it. */
static bool is_in(struct range *range)
{
	const struct address *to = &range->to;

	if (to->kind == ADDRESS_NONE)
		return address_matches(&range->from);
	if (!range->inside) {
		if (!address_matches(&range->from))
			return false;
		range->inside = starts(range);
		return true;
	}
	if (to->kind == ADDRESS_REGEX || to->kind == ADDRESS_LAST ||
	    to->kind == ADDRESS_STEP) {
		range->inside = !address_matches(to);
		return true;
	}
	/* Lines may have been read past the end: this is then not in it. */
	range->inside = line_number < range->end;
	return line_number <= range->end;
}

bool range_selects(struct range *range)
{
	return is_in(range) != range->negated;
}
