/* SPDX-License-Identifier: GPL-2.0-only */
/* The line that is being typed at a prompt. */
#ifndef SH_LINE_H
#define SH_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define LINE_ROOM	4096		/* with the newline */

struct line {
	char text[LINE_ROOM];
	size_t length;
	size_t cursor;			/* always where a character begins */
};

/*
 * line_edit.c: prompts for a line on the terminal, into LINE_ROOM bytes, and
 * returns its length with the newline; 0 at the end, -1 (EINTR) after ^C.
 */
ssize_t line_read(const char *prompt, char *text);
/* As it was at the last prompt, whatever a job has left it in. */
void line_restore_terminal(void);

/* line.c: changes, which do not show yet. */

/* Of the character that begins, or ends, at a place. */
size_t line_next(const struct line *line, size_t at);
size_t line_previous(const struct line *line, size_t at);
size_t line_next_word(const struct line *line, size_t at);
size_t line_previous_word(const struct line *line, size_t at);
/* At the cursor, which comes to stand behind it; false: there is no room. */
bool line_insert(struct line *line, const char *text, size_t length);
void line_delete(struct line *line, size_t from, size_t to);
void line_set(struct line *line, const char *text, size_t length);

/* line_draw.c: what the terminal shows. */

/* Returns the prompt's last row, the only one that is drawn again. */
const char *draw_begin(const char *prompt);
void draw(const struct line *line);
void draw_with_prompt(const struct line *line, const char *prompt);
/* A character was put in before the cursor, or taken out there. */
void draw_inserted(const struct line *line, size_t length);
void draw_deleted(const struct line *line);
/* From where the cursor is now, below or instead of something else. */
void draw_again(const struct line *line);
/* The cursor goes to the last row; whether that is empty. */
bool draw_end(const struct line *line);
size_t draw_columns(void);
void draw_bell(void);

/* line_history.c: the lines before. */

void history_add(const char *text, size_t length);
/* back lines ago, from 1 on; NULL: there is none. */
const char *history_get(size_t back);
/* From back on; 0: none has this text in it. */
size_t history_search(size_t back, const char *text);

/* line_complete.c: Tab. */

void line_complete(struct line *line);

#endif
