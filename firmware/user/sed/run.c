/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs a sed script over lines of input. */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "sed.h"

bool search(const struct regex *regex, size_t from,
	    struct match matches[REGEX_GROUPS])
{
	static const struct regex *last;

	if (!regex)
		regex = last;
	if (!regex)
		errx(STATUS_SCRIPT, "-e expression #1, char 0: "
		     "no previous regular expression");
	last = regex;
	return regex_search(regex, space.bytes, space.length, from, matches);
}

/* How the commands for a line have ended. */
enum outcome {
	LINE_DONE,
	LINE_SHOWN,		/* or not to be shown */
	LINE_KEPT,		/* D: the next cycle reads none */
	QUIT,
	QUIT_SILENTLY,
};

static struct {
	bool replaced;		/* for t and T: since the line was read */
	int status;		/* of q and Q */
} state;

static void put_space(struct output *to)
{
	put_line(to, space.bytes, space.length, space.newline);
}

/* Up to the first newline, of which the line of output has one for sure. */
static void put_first_line(struct output *to)
{
	const char *end = memchr(space.bytes, options.newline, space.length);

	if (end)
		put_line(to, space.bytes, end - space.bytes, true);
	else
		put_space(to);
}

static void show_space(void)
{
	if (!options.quiet)
		put_space(output);
}

/* n and N; false: there is no next line, and this one has been shown. */
static bool read_line(bool add)
{
	bool last = at_end();

	if (last || !add)
		show_space();
	if (last)
		return false;
	write_queue();
	state.replaced = false;
	return next_line(add);
}

static enum outcome delete_first_line(void)
{
	const char *end = memchr(space.bytes, options.newline, space.length);

	if (!end)
		return LINE_SHOWN;
	text_drop(&space, end + 1 - space.bytes);
	return LINE_KEPT;
}

static void append_line(struct text *to, const struct text *from)
{
	text_append_char(to, options.newline);
	text_append(to, from->bytes, from->length);
	to->newline = from->newline;
}

static void translate(const unsigned char *map)
{
	for (size_t i = 0; i < space.length; i++)
		space.bytes[i] = map[(unsigned char)space.bytes[i]];
}

static void put_number(void)
{
	char text[24];

	put_bytes(output, text, snprintf(text, sizeof(text), "%lu\n",
					 line_number));
}

static void put_name(void)
{
	put_line(output, input_name(), strlen(input_name()), true);
}

/* A command that ends nothing and goes nowhere. */
static void run_plain(const struct command *command)
{
	switch (command->name) {
	case '=': put_number(); break;
	case 'F': put_name(); break;
	case 'a': queue_text(&command->text); break;
	case 'r': queue_file(command->text.bytes); break;
	case 'i':
		put_bytes(output, command->text.bytes, command->text.length);
		break;
	case 'g': text_copy(&space, &hold); break;
	case 'G': append_line(&space, &hold); break;
	case 'h': text_copy(&hold, &space); break;
	case 'H': append_line(&hold, &space); break;
	case 'x': text_swap(&space, &hold); break;
	case 'z': space.length = 0; break;
	case 'p': put_space(output); break;
	case 'P': put_first_line(output); break;
	case 'w': put_space(command->output); break;
	case 'W': put_first_line(command->output); break;
	case 'y': translate(command->map); break;
	case 'l':
		put_listed(output, &space, command->number < 0 ?
			   options.line_length : command->number);
		break;
	case 's':
		state.replaced |= substitute(command->substitution);
		break;
	}
}

/* Whether b, t or T goes to its label. */
static bool jumps(const struct command *command)
{
	bool replaced = state.replaced;

	if (command->name == 'b')
		return true;
	state.replaced = false;
	return replaced == (command->name == 't');
}

static enum outcome run_commands(struct command *command)
{
	struct command *next;

	for (; command; command = next) {
		next = command->next;
		if (!range_selects(&command->range)) {
			if (command->name == '{')
				next = command->target;
			continue;
		}
		switch (command->name) {
		case 'b':
		case 't':
		case 'T':
			if (jumps(command))
				next = command->target;
			break;
		case 'c':
			/* For a range, once, at its end. */
			if (!command->range.inside)
				put_bytes(output, command->text.bytes,
					  command->text.length);
			return LINE_SHOWN;
		case 'd':
			return LINE_SHOWN;
		case 'D':
			return delete_first_line();
		case 'n':
		case 'N':
			if (!read_line(command->name == 'N'))
				return LINE_SHOWN;
			break;
		case 'q':
		case 'Q':
			state.status = command->number;
			return command->name == 'q' ? QUIT : QUIT_SILENTLY;
		default:
			run_plain(command);
		}
	}
	return LINE_DONE;
}

int run_script(struct command *script)
{
	enum outcome outcome = LINE_DONE;
	int failed;

	while (outcome < QUIT && (outcome == LINE_KEPT || next_line(false))) {
		if (outcome != LINE_KEPT)
			state.replaced = false;
		outcome = run_commands(script);
		if (outcome == LINE_DONE || outcome == QUIT)
			show_space();
		if (outcome != QUIT_SILENTLY)
			write_queue();
	}
	failed = close_input();
	finish_output();
	return state.status ? state.status : failed;
}
