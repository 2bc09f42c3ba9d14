/* SPDX-License-Identifier: GPL-2.0-only */
/* Expands words: parameters and commands give their values. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "field.h"
#include "word.h"

/* plain: what unquoted text counts as. */
static void expand_parts(const struct part *part, enum mark plain,
			 struct buffer *into);

static char *number(long value)
{
	char *text = arena_alloc(&temp_arena, 24);

	snprintf(text, 24, "%ld", value);
	return text;
}

/* NULL if it is not set; of * and @ only the first, which says as much. */
static const char *parameter_value(const char *name)
{
	long position;

	switch (*name) {
	case '@':
	case '*':
		return parameters.items[0];
	case '?':
		return number(shell.status);
	case '$':
		return number(shell.pid);
	case '#':
		return number(parameters.count);
	case '!':
		return shell.background ? number(shell.background) : NULL;
	case '-':
		return option_letters();
	}
	if (!strcmp(name, "LINENO"))
		return number(shell.line);
	position = parse_number(name);
	if (position == 0)
		return shell.name;
	if (position > parameters.count)
		return NULL;
	return position > 0 ? parameters.items[position - 1] : var_get(name);
}

static bool is_list(const struct part *part)
{
	return !strcmp(part->text, "@") || !strcmp(part->text, "*");
}

/* The value without what the pattern matches at its start or end. */
static const char *strip(const struct part *part, const char *value)
{
	const char *pattern = expand_pattern(part->argument);
	size_t length = strlen(value);
	bool prefix = part->modifier == MODIFIER_PREFIX ||
		      part->modifier == MODIFIER_LONG_PREFIX;
	bool longest = part->modifier == MODIFIER_LONG_PREFIX ||
		       part->modifier == MODIFIER_LONG_SUFFIX;

	for (size_t i = 0; i <= length; i++) {
		size_t size = longest ? length - i : i;

		if (prefix) {
			if (pattern_match(pattern, arena_copy(&temp_arena,
							      value, size)))
				return value + size;
		} else if (pattern_match(pattern, value + length - size)) {
			return arena_copy(&temp_arena, value, length - size);
		}
	}
	return value;
}

/* $* and $@, which differ only when quoted. */
static void expand_parameters(const struct part *part, struct buffer *into)
{
	const char *ifs = var_get("IFS");
	enum mark mark = part->quoted ? MARK_QUOTED : MARK_VALUE;
	bool joined = part->quoted && *part->text == '*';
	const char *value;

	if (joined)
		buffer_add(into, '\0', MARK_NOTHING);
	for (int i = 0; i < parameters.count; i++) {
		if (i > 0 && !joined)
			buffer_add(into, '\0', MARK_BREAK);
		else if (i > 0 && (!ifs || *ifs))
			buffer_add(into, ifs ? *ifs : ' ', MARK_QUOTED);
		if (part->quoted)
			buffer_add(into, '\0', MARK_NOTHING);
		value = parameters.items[i];
		buffer_add_string(into, takes_pattern(part->modifier) ?
				  strip(part, value) : value, mark);
	}
}

static void add_value(const struct part *part, const char *value,
		      struct buffer *into)
{
	if (part->quoted)
		buffer_add(into, '\0', MARK_NOTHING);
	buffer_add_string(into, value,
			  part->quoted ? MARK_QUOTED : MARK_VALUE);
}

static void assign_default(const struct part *part, struct buffer *into)
{
	const char *value = expand_string(part->argument);

	if (!is_name(part->text))
		fail("%s: bad variable name", part->text);
	var_set(part->text, value);
	add_value(part, value, into);
}

static void report_unset(const struct part *part)
{
	if (part->argument->parts)
		fail("%s: %s", part->text, expand_string(part->argument));
	fail("%s: parameter not set%s", part->text,
	     part->empty_is_unset ? " or null" : "");
}

static void add_length(const struct part *part, const char *value,
		       struct buffer *into)
{
	long length = value ? strlen(value) : 0;

	add_value(part, number(is_list(part) ? parameters.count : length),
		  into);
}

static void expand_argument(const struct part *part, struct buffer *into)
{
	if (part->quoted)
		buffer_add(into, '\0', MARK_NOTHING);
	expand_parts(part->argument->parts, MARK_VALUE, into);
}

/* With -u. */
static void check_set(const struct part *part, const char *value)
{
	if (!value && options.unset && !is_list(part))
		fail("%s: parameter not set", part->text);
}

static void expand_parameter(const struct part *part, struct buffer *into)
{
	const char *value = part->text ? parameter_value(part->text) : NULL;
	bool set = value && !(part->empty_is_unset && !*value);

	switch (part->modifier) {
	case MODIFIER_NONE:
		check_set(part, value);
		break;
	case MODIFIER_LENGTH:
		check_set(part, value);
		add_length(part, value, into);
		return;
	case MODIFIER_ALTERNATIVE:
		if (set)
			expand_argument(part, into);
		else
			add_value(part, "", into);
		return;
	case MODIFIER_DEFAULT:
		if (set)
			break;
		expand_argument(part, into);
		return;
	case MODIFIER_ASSIGN:
		if (set)
			break;
		assign_default(part, into);
		return;
	case MODIFIER_ERROR:
		if (!set)
			report_unset(part);
		break;
	case MODIFIER_BAD:
		fail("Bad substitution");
	default:
		check_set(part, value);
		value = value && !is_list(part) ? strip(part, value) : NULL;
		break;
	}
	if (is_list(part))
		expand_parameters(part, into);
	else
		add_value(part, value ? value : "", into);
}

/* What the command writes, without the newlines at its end. */
static void expand_command(const struct part *part, struct buffer *into)
{
	enum mark mark = part->quoted ? MARK_QUOTED : MARK_VALUE;
	size_t newlines = 0;
	char buffer[512];
	ssize_t got;
	int fds[2];
	pid_t pid;

	if (part->quoted)
		buffer_add(into, '\0', MARK_NOTHING);
	substitution_status = 0;
	if (!part->command)
		return;
	if (pipe(fds) < 0)
		fail("Pipe call failed");
	pid = fork_shell();
	if (pid == 0) {
		close(fds[0]);
		if (fds[1] != STDOUT_FILENO) {
			dup2(fds[1], STDOUT_FILENO);
			close(fds[1]);
		}
		run_and_exit(part->command);
	}
	close(fds[1]);
	for (;;) {
		got = read(fds[0], buffer, sizeof(buffer));
		if (got < 0 && errno == EINTR && !interrupted())
			continue;
		if (got <= 0)
			break;
		for (ssize_t i = 0; i < got; i++) {
			if (buffer[i] == '\n') {
				newlines++;
				continue;
			}
			for (; newlines > 0; newlines--)
				buffer_add(into, '\n', mark);
			if (buffer[i])
				buffer_add(into, buffer[i], mark);
		}
	}
	close(fds[0]);
	interrupt_check();
	substitution_status = job_wait(pid);
	interrupt_check();
}

static void expand_text(const struct part *part, enum mark plain,
			struct buffer *into)
{
	if (part->quoted && part->length == 0)
		buffer_add(into, '\0', MARK_NOTHING);
	for (size_t i = 0; i < part->length; i++)
		buffer_add(into, part->text[i],
			   part->quoted ? MARK_QUOTED : plain);
}

static void expand_parts(const struct part *part, enum mark plain,
			 struct buffer *into)
{
	const char *home;

	for (; part; part = part->next) {
		switch (part->kind) {
		case PART_TEXT:
			expand_text(part, plain, into);
			break;
		case PART_PARAMETER:
			expand_parameter(part, into);
			break;
		case PART_COMMAND:
			expand_command(part, into);
			break;
		case PART_ARITHMETIC:
			add_value(part, number(arithmetic(
					expand_string(part->argument))), into);
			break;
		case PART_TILDE:
			home = var_get("HOME");
			buffer_add_string(into, home ? home : "~", MARK_QUOTED);
			break;
		}
	}
}

static bool is_assignment(const struct word *word)
{
	const struct part *part = word->parts;
	size_t length;

	if (!part || part->kind != PART_TEXT || part->quoted)
		return false;
	length = name_length(part->text);
	return length > 0 && part->text[length] == '=';
}

void expand_words(const struct word *word, bool declares, struct strings *into)
{
	strings_add(into, NULL);
	for (; word; word = word->next) {
		struct buffer buffer = { .length = 0 };

		expand_parts(word->parts, MARK_PLAIN, &buffer);
		if (declares && is_assignment(word))
			strings_add(into, buffer_string(&buffer, 0,
							buffer.length));
		else
			buffer_split(&buffer, into);
	}
}

char *expand_string(const struct word *word)
{
	struct buffer buffer = { .length = 0 };

	expand_parts(word->parts, MARK_PLAIN, &buffer);
	return buffer_string(&buffer, 0, buffer.length);
}

char *expand_pattern(const struct word *word)
{
	struct buffer buffer = { .length = 0 };

	expand_parts(word->parts, MARK_PLAIN, &buffer);
	return buffer_pattern(&buffer, 0, buffer.length);
}
