/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the characters of commands come from: texts and files, nested. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "line.h"
#include "shell.h"

struct input *input;

static void push(struct input *in)
{
	in->line = 1;
	in->outer = input;
	input = in;
}

void input_push_text(struct input *in, const char *text)
{
	*in = (struct input) { .text = text, .fd = -1 };
	push(in);
}

void input_push_fd(struct input *in, int fd, bool by_byte, bool prompting)
{
	*in = (struct input) {
		.fd = fd, .by_byte = by_byte, .prompting = prompting,
		.line_start = true
	};
	in->buffer = xmalloc(prompting ? LINE_ROOM : by_byte ? 1 : BUFSIZ);
	push(in);
}

static bool is_being_read(const char *alias)
{
	for (const struct input *in = input; in; in = in->outer)
		if (in->alias && !strcmp(in->alias, alias))
			return true;
	return false;
}

bool input_push_alias(const char *name)
{
	const char *text = alias_get(name);
	int line = input->line;
	struct input *in;
	size_t size;

	if (!text || is_being_read(name))
		return false;
	/* The last word of it ends before what follows is read. */
	size = strlen(text) + strlen(name) + 3;
	in = xmalloc(sizeof(*in));
	input_push_text(in, NULL);
	in->line = line;
	in->buffer = xmalloc(size);
	snprintf(in->buffer, size, "%s %c%s", text, '\0', name);
	in->text = in->buffer;
	in->alias = in->buffer + strlen(text) + 2;
	return true;
}

static bool alias_ended;

bool input_alias_ended(void)
{
	bool ended = alias_ended;

	alias_ended = false;
	return ended;
}

void input_pop(void)
{
	struct input *ended = input;

	input = ended->outer;
	if (ended->fd >= 0 && !ended->by_byte)
		close(ended->fd);
	free(ended->buffer);
	if (ended->alias)
		free(ended);
}

void input_pop_until(const struct input *outer)
{
	while (input != outer)
		input_pop();
}

void input_discard_line(void)
{
	if (!terminal_is_ours())
		return;
	input->position = input->length;
	input->unread_count = 0;
	input->line_start = true;
}

void input_go_on(void)
{
	input->ended = false;
	input->line_start = true;
}

void input_next_prompt(enum prompt prompt)
{
	input->prompt = prompt;
}

static const char *next_prompt(void)
{
	bool more = input->prompt == PROMPT_CONTINUE;

	input->prompt = PROMPT_CONTINUE;
	return expand_prompt(more ? "PS2" : "PS1", more ? "> " : "# ");
}

static ssize_t read_bytes(void)
{
	return read(input->fd, input->buffer, input->by_byte ? 1 : BUFSIZ);
}

/* A terminal that is "dumb" shows what is typed by itself, and is not drawn on. */
static bool edits_lines(void)
{
	const char *term = var_get("TERM");

	return terminal_is_ours() && !(term && !strcmp(term, "dumb"));
}

static ssize_t read_prompted(void)
{
	size_t mark = arena_mark(&temp_arena);
	bool first = input->prompt == PROMPT_COMMAND;
	const char *prompt = next_prompt();
	ssize_t got;

	jobs_poll();
	if (terminal_is_ours() && first)
		jobs_show_changed();
	if (edits_lines()) {
		got = line_read(prompt, input->buffer);
	} else {
		fputs(prompt, stderr);
		got = read_bytes();
	}
	arena_release(&temp_arena, mark);
	return got;
}

/* With -v, what is read is shown, a line at a time. */
static void show_read(int c)
{
	static char line[256];
	static size_t length;

	if (c != INPUT_END)
		line[length++] = c;
	if (c != '\n' && c != INPUT_END && length < sizeof(line))
		return;
	fwrite(line, 1, length, stderr);
	length = 0;
}

/* What follows an alias that ends in a blank may be one, too. */
static void leave_aliases(void)
{
	while (input->alias && !*input->text && !input->unread_count) {
		alias_ended |= input->alias - input->buffer > 2 &&
			       isblank(input->alias[-3]);
		input->outer->line = input->line;
		input_pop();
	}
}

static int read_char(void)
{
	int c;

	if (input->text)
		return *input->text ? (unsigned char)*input->text++ : INPUT_END;
	if (input->ended)
		return INPUT_END;
	if (input->position == input->length) {
		ssize_t got = input->prompting && input->line_start ?
			      read_prompted() : read_bytes();

		if (got < 0 && errno == EINTR) {
			interrupt_check();
			if (input->prompting && interrupt_pending())
				abandon_line();	/* before its trap runs */
			return read_char();
		}
		if (got <= 0) {
			input->ended = true;
			if (options.verbose)
				show_read(INPUT_END);
			return INPUT_END;
		}
		input->position = 0;
		input->length = got;
	}
	c = (unsigned char)input->buffer[input->position++];
	if (options.verbose)
		show_read(c);
	return c;
}

int input_char(void)
{
	int c;

	leave_aliases();
	if (input->unread_count > 0) {
		c = input->unread[--input->unread_count];
	} else {
		do {
			c = read_char();
		} while (c == '\0');
		input->line_start = c == '\n';
	}
	if (c == '\n')
		input->line++;
	return c;
}

void input_unread(int c)
{
	if (c == INPUT_END)
		return;
	input->unread[input->unread_count++] = c;
	if (c == '\n')
		input->line--;
}

bool input_accept(int wanted)
{
	int c = input_char();

	if (c == wanted)
		return true;
	input_unread(c);
	return false;
}
