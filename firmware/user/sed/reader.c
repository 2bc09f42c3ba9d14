/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the words of a sed script: what the characters of its commands mean. */
#include <ctype.h>
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "sed.h"

static void __attribute__((noreturn)) complain(const struct script *script,
					       const char *format, va_list args)
{
	char why[256];
	int line = 1;

	vsnprintf(why, sizeof(why), format, args);
	if (!script->file)
		errx(STATUS_SCRIPT, "-e expression #%d, char %d: %s",
		     script->number, (int)(script->at - script->text), why);
	for (const char *at = script->text; at < script->at; at++)
		line += *at == '\n';
	errx(STATUS_SCRIPT, "file %s line %d: %s", script->file, line, why);
}

void invalid(const struct script *script, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain(script, format, args);
}

void unexpected(struct script *script, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (*script->at)
		script->at++;
	complain(script, format, args);
}

void skip_blanks(struct script *script)
{
	while (isblank(*script->at))
		script->at++;
}

unsigned long read_count(struct script *script)
{
	unsigned long count = 0;

	for (; isdigit(*script->at); script->at++)
		count = count * 10 + (*script->at - '0');
	return count;
}

/* So many digits at most; -1: there is none. */
static int read_digits(const char **at, int base, int most)
{
	const char *digit = *at;
	int value = 0;

	for (; most-- && isxdigit(*digit); digit++) {
		int one = isdigit(*digit) ? *digit - '0' :
					    tolower(*digit) - 'a' + 10;

		if (one >= base)
			break;
		value = value * base + one;
	}
	if (digit == *at)
		return -1;
	*at = digit;
	return value & 0xff;
}

int read_escape(const char **at)
{
	static const char letters[] = "afnrtv", meant[] = "\a\f\n\r\t\v";
	const char *after = *at + 2;
	const char *letter = strchr(letters, (*at)[1]);
	int c;

	if (!(*at)[1])
		return -1;
	if (letter) {
		c = meant[letter - letters];
	} else if ((*at)[1] == 'c' && *after) {
		c = toupper(*after++) ^ 0x40;
	} else {
		switch ((*at)[1]) {
		case 'd': c = read_digits(&after, 10, 3); break;
		case 'o': c = read_digits(&after, 8, 3); break;
		case 'x': c = read_digits(&after, 16, 2); break;
		default: return -1;
		}
	}
	if (c >= 0)
		*at = after;
	return c;
}

/* How long the bracket expression at this [ is; without end, all the rest. */
static size_t bracket_length(const char *at)
{
	size_t length = at[1] == '^' ? 2 : 1;
	const char *end;

	if (at[length] == ']')
		length++;
	for (; at[length] && at[length] != ']'; length++) {
		if (at[length] != '[' || at[length + 1] != ':')
			continue;
		end = strchr(at + length + 2, ':');
		if (end && end[1] == ']')
			length = end + 1 - at;
	}
	return at[length] ? length + 1 : length;
}

/* A byte that an escape sequence stands for is never an operator. */
static void append_plain(struct text *text, int c, bool regex, bool bracket)
{
	bool set = regex && !bracket && c != '^' && ispunct(c);

	if (set)
		text_append_char(text, '[');
	else if (!bracket && (c == '^' || c == '&' || c == '\\'))
		text_append_char(text, '\\');
	text_append_char(text, c);
	if (set)
		text_append_char(text, ']');
}

char *read_delimited(struct script *script, char delimiter, bool regex)
{
	struct text text = { .bytes = NULL };
	const char *bracket_end = NULL;

	text_append(&text, "", 0);
	for (;;) {
		bool bracket = script->at < bracket_end;
		char c = *script->at;
		int escaped;

		if (!c || (regex && c == '\n'))
			return NULL;
		if (c == delimiter && !bracket) {
			script->at++;
			return text.bytes;
		}
		if (regex && c == '[' && !bracket)
			bracket_end = script->at + bracket_length(script->at);
		if (c != '\\' || !script->at[1]) {
			text_append_char(&text, c);
			script->at++;
			continue;
		}
		if (script->at[1] == delimiter && !bracket) {
			text_append_char(&text, delimiter);
			script->at += 2;
			continue;
		}
		escaped = read_escape(&script->at);
		if (escaped >= 0) {
			append_plain(&text, escaped, regex, bracket);
			continue;
		}
		text_append_char(&text, *script->at++);
		if (!bracket)
			text_append_char(&text, *script->at++);
	}
}

char *read_label(struct script *script)
{
	size_t length;
	char *label;

	skip_blanks(script);
	length = strcspn(script->at, " \t\n;}");
	label = length ? strndup(script->at, length) : NULL;
	script->at += length;
	return label;
}

char *read_file_name(struct script *script)
{
	size_t length;
	char *name;

	skip_blanks(script);
	length = strcspn(script->at, "\n");
	if (length == 0)
		invalid(script, "missing filename in r/R/w/W commands");
	name = strndup(script->at, length);
	script->at += length;
	return name;
}

void read_text_line(struct script *script, struct text *text)
{
	while (*script->at && *script->at != '\n') {
		int escaped = -1;

		if (*script->at == '\\') {
			escaped = read_escape(&script->at);
			if (escaped < 0)
				script->at++;
		}
		if (escaped >= 0)
			text_append_char(text, escaped);
		else if (*script->at)
			text_append_char(text, *script->at++);
	}
	text_append_char(text, '\n');
}

bool read_text(struct script *script, struct text *text)
{
	skip_blanks(script);
	if (!*script->at)
		invalid(script, "expected \\ after `a', `c' or `i'");
	if (*script->at == '\\') {
		const char *after = script->at + 1;

		/* a\ and a newline, or the text itself, blanks and all. */
		after += strspn(after, " \t");
		if (*after == '\n')
			script->at = after + 1;
		else if (!*after)
			script->at = after;
		else
			script->at++;
		if (!*after)
			return false;
	}
	read_text_line(script, text);
	return true;
}

struct regex *read_regex(const struct script *script, const char *text,
			 int flags)
{
	const char *error;
	struct regex *regex;

	if (!*text)
		return NULL;
	regex = regex_compile(text, options.regex_flags | flags, &error);
	if (!regex)
		invalid(script, "%s", error);
	return regex;
}
