/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shows the line that is being typed, over as many rows as it needs. Every
 * character is taken to be one cell wide. A cursor behind the last cell of a
 * row is put into the next one, for terminals disagree about where it is.
 */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "line.h"

static const char *prompt_text;
static size_t prompt_cells;
static size_t cursor_row;		/* below the prompt's */

size_t draw_columns(void)
{
	struct winsize size;

	if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col < 2)
		return 80;
	return size.ws_col;
}

static size_t cells(const char *text, size_t length)
{
	size_t count = 0;

	for (size_t i = 0; i < length; i++)
		count += ((unsigned char)text[i] & 0xc0) != 0x80;
	return count;
}

static size_t cells_before(const struct line *line, size_t at)
{
	return prompt_cells + cells(line->text, at);
}

const char *draw_begin(const char *prompt)
{
	const char *last = strrchr(prompt, '\n');

	fputs(prompt, stderr);
	prompt_text = last ? last + 1 : prompt;
	prompt_cells = cells(prompt_text, strlen(prompt_text));
	cursor_row = 0;
	return prompt_text;
}

static void put_text(const struct line *line, size_t from)
{
	fwrite(line->text + from, 1, line->length - from, stderr);
	if (line->length > 0 &&
	    cells_before(line, line->length) % draw_columns() == 0)
		fputs("\n", stderr);
}

void draw(const struct line *line)
{
	size_t columns = draw_columns();
	size_t end = cells_before(line, line->length);
	size_t cursor = cells_before(line, line->cursor);

	if (cursor_row > 0)
		fprintf(stderr, "\033[%zuA", cursor_row);
	fprintf(stderr, "\r\033[J%s", prompt_text);
	put_text(line, 0);
	cursor_row = cursor / columns;
	if (cursor == end)
		return;
	if (end / columns > cursor_row)
		fprintf(stderr, "\033[%zuA", end / columns - cursor_row);
	fputs("\r", stderr);
	if (cursor % columns > 0)
		fprintf(stderr, "\033[%zuC", cursor % columns);
}

void draw_with_prompt(const struct line *line, const char *prompt)
{
	prompt_text = prompt;
	prompt_cells = cells(prompt, strlen(prompt));
	draw(line);
}

void draw_inserted(const struct line *line, size_t length)
{
	if (line->cursor < line->length) {
		draw(line);
		return;
	}
	put_text(line, line->length - length);
	cursor_row = cells_before(line, line->length) / draw_columns();
}

void draw_deleted(const struct line *line)
{
	size_t gone = cells_before(line, line->length) + 1;

	if (line->cursor < line->length || gone % draw_columns() == 0)
		draw(line);
	else
		fputs("\b \b", stderr);
}

void draw_again(const struct line *line)
{
	cursor_row = 0;
	draw(line);
}

bool draw_end(const struct line *line)
{
	size_t columns = draw_columns();
	size_t end = cells_before(line, line->length);

	if (end / columns > cursor_row)
		fprintf(stderr, "\033[%zuB", end / columns - cursor_row);
	cursor_row = end / columns;
	return line->length > 0 && end % columns == 0;
}

void draw_bell(void)
{
	fputs("\a", stderr);
}
