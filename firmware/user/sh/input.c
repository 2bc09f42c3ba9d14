/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the characters of commands come from: texts and files, nested. */
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

void input_pop(void)
{
	free(input->buffer);
	input = input->outer;
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
	const char *text = var_get(more ? "PS2" : "PS1");

	input->prompt = PROMPT_CONTINUE;
	if (text)
		return text;
	return more ? "> " : "# ";
}

static ssize_t read_some(void)
{
	size_t size = input->by_byte ? 1 : BUFSIZ;

	if (input->prompting && input->line_start) {
		const char *prompt = next_prompt();

		jobs_poll();
		if (terminal_is_ours())
			return line_read(prompt, input->buffer);
		fputs(prompt, stderr);
	}
	return read(input->fd, input->buffer, size);
}

static int read_char(void)
{
	if (input->text)
		return *input->text ? (unsigned char)*input->text++ : INPUT_END;
	if (input->ended)
		return INPUT_END;
	if (input->position == input->length) {
		ssize_t got = read_some();

		if (got < 0 && errno == EINTR && input->prompting) {
			if (terminal_is_ours())
				abandon_line();
			return read_char();
		}
		if (got <= 0) {
			input->ended = true;
			return INPUT_END;
		}
		input->position = 0;
		input->length = got;
	}
	return (unsigned char)input->buffer[input->position++];
}

int input_char(void)
{
	int c;

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
