/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs a sed script over lines of input. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sed.h"

/* A line, without its newline, which the last one may not have. */
struct line {
	char *text;
	size_t length;
	size_t size;
	bool newline;
};

/* All files as one input, a line ahead so that $ is known. */
static struct {
	char **files;
	FILE *file;
	struct line ahead;
	bool has_ahead;
	bool failed;
} input;

static struct line space;		/* sed's pattern space */
static unsigned long line_number;
static const struct regex *last_regex;

static bool open_next(void)
{
	while (*input.files) {
		const char *name = *input.files++;

		input.file = strcmp(name, "-") ? fopen(name, "r") : stdin;
		if (input.file)
			return true;
		fflush(stdout);
		warn("can't read %s", name);
		input.failed = true;
	}
	return false;
}

static void read_ahead(void)
{
	struct line *line = &input.ahead;
	ssize_t length;

	input.has_ahead = false;
	while (input.file || open_next()) {
		length = getline(&line->text, &line->size, input.file);
		if (length >= 0) {
			line->newline = line->text[length - 1] == '\n';
			line->length = length - line->newline;
			input.has_ahead = true;
			return;
		}
		if (ferror(input.file)) {
			warn("read error");
			input.failed = true;
		}
		if (input.file != stdin)
			fclose(input.file);
		input.file = NULL;
	}
}

static bool next_line(void)
{
	struct line old = space;

	if (!input.has_ahead)
		return false;
	space = input.ahead;
	input.ahead = old;
	line_number++;
	read_ahead();
	return true;
}

/* The newline that a line lacks is written once something follows it. */
static void end_unended_line(void)
{
	static bool unended;

	if (unended)
		fputc('\n', stdout);
	unended = !space.newline && !input.has_ahead;
}

static void print_space(void)
{
	end_unended_line();
	fwrite(space.text, 1, space.length, stdout);
	if (space.newline || input.has_ahead)
		fputc('\n', stdout);
}

static bool search(const struct regex *regex, size_t from,
		   struct match *matches)
{
	if (!regex)
		regex = last_regex;
	if (!regex)
		errx(1, "-e expression #1, char 0: "
			"no previous regular expression");
	last_regex = regex;
	return regex_search(regex, space.text, space.length, from, matches);
}

static bool address_matches(const struct address *address)
{
	struct match matches[REGEX_GROUPS];

	switch (address->kind) {
	case ADDRESS_LINE:
		return line_number == address->line;
	case ADDRESS_LAST:
		return !input.has_ahead;
	case ADDRESS_REGEX:
		return search(address->regex, 0, matches);
	default:
		return true;
	}
}

/* The line that starts a range is in it, and may be all of it. */
static bool selected(struct command *command)
{
	const struct address *to = &command->to;

	if (to->kind == ADDRESS_NONE)
		return address_matches(&command->from);
	if (!command->in_range) {
		if (!address_matches(&command->from))
			return false;
		command->in_range = to->kind == ADDRESS_REGEX ||
			(to->kind == ADDRESS_LINE ? line_number < to->line :
						    input.has_ahead);
		return true;
	}
	if (to->kind == ADDRESS_LINE && line_number >= to->line) {
		command->in_range = false;
		return line_number == to->line;
	}
	if (address_matches(to))
		command->in_range = false;
	return true;
}

static void append(struct line *to, const char *text, size_t length)
{
	if (length == 0)
		return;
	if (to->length + length > to->size) {
		to->size = 2 * (to->length + length);
		to->text = xrealloc(to->text, to->size);
	}
	memcpy(to->text + to->length, text, length);
	to->length += length;
}

static void append_replacement(struct line *to, const struct piece *piece,
			       const struct match *matches)
{
	for (; piece; piece = piece->next) {
		const struct match *group = &matches[piece->group];

		append(to, piece->text, piece->length);
		if (piece->group >= 0 && group->start != NO_MATCH)
			append(to, space.text + group->start,
			       group->end - group->start);
	}
}

/*
 * An empty match right after a match is none: s/a*$/x/g makes "baa" "bx".
 */
static bool substitute(const struct substitution *s)
{
	static struct line result;
	struct match matches[REGEX_GROUPS];
	size_t copied = 0, from = 0, last_end = NO_MATCH;
	unsigned long count = 0;
	bool replaced = false;
	struct line old;

	result.length = 0;
	while (from <= space.length && search(s->regex, from, matches)) {
		size_t start = matches[0].start;
		size_t end = matches[0].end;

		if (start != end || start != last_end)
			count++;
		if ((start != end || start != last_end) && count >= s->number) {
			append(&result, space.text + copied, start - copied);
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
	append(&result, space.text + copied, space.length - copied);
	result.newline = space.newline;
	old = space;
	space = result;
	result = old;
	return true;
}

enum outcome {
	LINE_DONE,
	LINE_DELETED,
	QUIT,
};

static enum outcome run_commands(struct command *command, int *exit_status)
{
	for (; command; command = command->next) {
		if (selected(command) == command->negated)
			continue;
		switch (command->name) {
		case 'd':
			return LINE_DELETED;
		case 'q':
			*exit_status = command->exit_status;
			return QUIT;
		case 'p':
			print_space();
			break;
		case '=':
			printf("%lu\n", line_number);
			break;
		case 's':
			if (substitute(&command->substitution) &&
			    command->substitution.print)
				print_space();
			break;
		}
	}
	return LINE_DONE;
}

int run_script(struct command *script, char **files, bool quiet)
{
	enum outcome outcome = LINE_DONE;
	int exit_status = 0;

	input.files = files;
	read_ahead();
	while (outcome != QUIT && next_line()) {
		outcome = run_commands(script, &exit_status);
		if (outcome != LINE_DELETED && !quiet)
			print_space();
	}
	if (exit_status == 0 && input.failed)
		exit_status = 2;
	return exit_status;
}
