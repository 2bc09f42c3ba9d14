/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads a sed script. */
#include <ctype.h>
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "sed.h"

int regex_flags;

struct script {
	const char *text;
	const char *at;
	int number;
};

static void __attribute__((noreturn)) invalid(const struct script *script,
					      const char *why)
{
	errx(1, "-e expression #%d, char %d: %s", script->number,
	     (int)(script->at - script->text), why);
}

/* The next character is what is wrong, and counts. */
static void __attribute__((noreturn)) unexpected(struct script *script,
						 const char *why)
{
	if (*script->at)
		script->at++;
	invalid(script, why);
}

static void skip_blanks(struct script *script)
{
	while (isblank(*script->at))
		script->at++;
}

/* Characters that belong together are gathered here. */
struct text {
	char *bytes;
	size_t length;
};

static void append(struct text *text, char c)
{
	text->bytes = xrealloc(text->bytes, text->length + 2);
	text->bytes[text->length++] = c;
	text->bytes[text->length] = '\0';
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

/*
 * Up to the delimiter, which is taken; where a backslash precedes it, and in
 * brackets, it is an ordinary character. NULL if the script ends before.
 */
static char *delimited(struct script *script, char delimiter, bool regex)
{
	struct text text = { xstrdup(""), 0 };
	const char *bracket_end = NULL;

	for (;; script->at++) {
		char c = *script->at;

		if (!c || (regex && c == '\n'))
			return NULL;
		if (regex && c == '[' && script->at >= bracket_end)
			bracket_end = script->at + bracket_length(script->at);
		if (c == delimiter && script->at >= bracket_end)
			break;
		if (c == '\\' && script->at[1] &&
		    (script->at >= bracket_end || script->at[1] == 'n')) {
			c = *++script->at;
			if (regex && c == 'n')
				c = '\n';
			else if (c != delimiter)
				append(&text, '\\');
		}
		append(&text, c);
	}
	script->at++;
	return text.bytes;
}

/* An empty expression stands for the one used last: NULL. */
static struct regex *compile(const struct script *script, const char *text)
{
	const char *error;
	struct regex *regex;

	if (!*text)
		return NULL;
	regex = regex_compile(text, regex_flags, &error);
	if (!regex)
		invalid(script, error);
	return regex;
}

static unsigned long parse_count(struct script *script)
{
	unsigned long count = 0;

	for (; isdigit(*script->at); script->at++)
		count = count * 10 + (*script->at - '0');
	return count;
}

static void parse_address(struct script *script, struct address *address)
{
	char delimiter = '/';
	char *text;

	address->kind = ADDRESS_NONE;
	if (isdigit(*script->at)) {
		address->kind = ADDRESS_LINE;
		address->line = parse_count(script);
	} else if (*script->at == '$') {
		address->kind = ADDRESS_LAST;
		script->at++;
	} else if (*script->at == '/' || *script->at == '\\') {
		if (*script->at == '\\')
			delimiter = *++script->at;
		if (*script->at)
			script->at++;
		address->kind = ADDRESS_REGEX;
		text = delimited(script, delimiter, true);
		if (!text)
			invalid(script, "unterminated address regex");
		address->regex = compile(script, text);
	}
}

static struct piece *parse_replacement(const char *at)
{
	struct piece *first = NULL;
	struct piece **last = &first;

	for (;;) {
		struct piece *piece = xmalloc(sizeof(*piece));
		struct text text = { xstrdup(""), 0 };

		piece->group = -1;
		piece->next = NULL;
		for (; *at && piece->group < 0; at++) {
			if (*at == '&') {
				piece->group = 0;
			} else if (*at != '\\' || !at[1]) {
				append(&text, *at);
			} else if (isdigit(*++at)) {
				piece->group = *at - '0';
			} else {
				append(&text, *at == 'n' ? '\n' :
					      *at == 't' ? '\t' : *at);
			}
		}
		piece->text = text.bytes;
		piece->length = text.length;
		*last = piece;
		last = &piece->next;
		if (!*at)
			return first;
	}
}

static void check_references(const struct script *script,
			     const struct substitution *s)
{
	static char why[] = "invalid reference \\0 on `s' command's RHS";

	for (struct piece *piece = s->pieces; piece; piece = piece->next) {
		if (s->regex && piece->group > regex_group_count(s->regex)) {
			*strchr(why, '0') = '0' + piece->group;
			invalid(script, why);
		}
	}
}

static void parse_flags(struct script *script, struct substitution *s)
{
	s->number = 1;
	for (;; script->at++) {
		if (*script->at == 'g') {
			s->global = true;
		} else if (*script->at == 'p') {
			s->print = true;
		} else if (isdigit(*script->at)) {
			s->number = parse_count(script);
			if (s->number == 0)
				invalid(script, "number option to `s' command "
						"may not be zero");
			script->at--;
		} else {
			return;
		}
	}
}

static void parse_substitution(struct script *script, struct substitution *s)
{
	char delimiter = *script->at;
	char *regex, *replacement;

	if (delimiter)
		script->at++;
	regex = delimited(script, delimiter, true);
	replacement = regex ? delimited(script, delimiter, false) : NULL;
	if (!replacement)
		invalid(script, "unterminated `s' command");
	parse_flags(script, s);
	if (*script->at && !strchr(";\n# \t", *script->at))
		unexpected(script, "unknown option to `s'");
	s->regex = compile(script, regex);
	s->pieces = parse_replacement(replacement);
	check_references(script, s);
}

static void parse_addresses(struct script *script, struct command *command)
{
	parse_address(script, &command->from);
	skip_blanks(script);
	if (command->from.kind != ADDRESS_NONE && *script->at == ',') {
		script->at++;
		skip_blanks(script);
		parse_address(script, &command->to);
		if (command->to.kind == ADDRESS_NONE)
			unexpected(script, "unexpected `,'");
		skip_blanks(script);
	}
	for (; *script->at == '!' || isblank(*script->at); script->at++)
		if (*script->at == '!')
			command->negated = true;
}

static void parse_name(struct script *script, struct command *command)
{
	static char why[] = "unknown command: `?'";

	command->name = *script->at;
	if (!command->name)
		invalid(script, "missing command");
	script->at++;
	if (command->from.kind == ADDRESS_LINE && command->from.line == 0)
		invalid(script, "invalid usage of line address 0");
	switch (command->name) {
	case 's':
		parse_substitution(script, &command->substitution);
		break;
	case 'q':
		if (command->to.kind != ADDRESS_NONE)
			invalid(script, "command only uses one address");
		skip_blanks(script);
		command->exit_status = parse_count(script);
		break;
	case 'd':
	case 'p':
	case '=':
		break;
	default:
		*strchr(why, '?') = command->name;
		invalid(script, why);
	}
	skip_blanks(script);
	if (*script->at && !strchr(";\n#", *script->at))
		unexpected(script, "extra characters after command");
}

void parse_script(const char *text, int number, struct command **list)
{
	struct script script = { text, text, number };

	while (*list)
		list = &(*list)->next;
	for (;;) {
		struct command *command;

		while (isspace(*script.at) || *script.at == ';')
			script.at++;
		if (*script.at == '#') {
			while (*script.at && *script.at != '\n')
				script.at++;
			continue;
		}
		if (!*script.at)
			return;
		command = xmalloc(sizeof(*command));
		memset(command, 0, sizeof(*command));
		parse_addresses(&script, command);
		parse_name(&script, command);
		*list = command;
		list = &command->next;
	}
}
