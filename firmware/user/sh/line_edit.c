/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads a line from the terminal, to be edited while it is typed with the keys
 * that one has from bash: arrows, Home, End, Delete, ^A ^B ^E ^F ^K ^L ^N ^P ^R
 * ^U ^W ^Y, Alt-B Alt-D Alt-F, Tab.
 */
#include <errno.h>
#include <keys.h>
#include <string.h>
#include <unistd.h>

#include "line.h"
#include "shell.h"

static struct line line;
static struct line typed;		/* while one from the history shows */
static size_t shown_back;		/* which one that is; 0: none */
static char killed[LINE_ROOM];		/* what ^Y brings back */
static size_t killed_length;
static const char *prompt_text;

/* Signals but ^C are for between commands. */
static int read_key(void)
{
	while (!interrupt_pending()) {
		int key = key_read(STDIN_FILENO);

		if (key != KEY_FAILED || errno != EINTR)
			return key;
	}
	errno = EINTR;
	return KEY_FAILED;
}

static void move(size_t to)
{
	line.cursor = to;
	draw(&line);
}

/* Takes out what ^Y can bring back. */
static void kill_text(size_t from, size_t to)
{
	if (from == to)
		return;
	killed_length = to - from;
	memcpy(killed, line.text + from, killed_length);
	line_delete(&line, from, to);
	draw(&line);
}

static void insert(const char *text, size_t length)
{
	if (line_insert(&line, text, length))
		draw_inserted(&line, length);
	else
		draw_bell();
}

/* A character and what continues it. */
static void insert_character(int c)
{
	int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;
	char text[4] = { c };
	size_t length = 1;

	while (more-- > 0 && (c = key_read_byte(STDIN_FILENO)) != KEY_FAILED)
		text[length++] = c;
	insert(text, length);
}

static void delete_before(void)
{
	if (line.cursor == 0)
		return;
	line_delete(&line, line_previous(&line, line.cursor), line.cursor);
	draw_deleted(&line);
}

static void delete_here(void)
{
	if (line.cursor == line.length)
		return;
	line_delete(&line, line.cursor, line_next(&line, line.cursor));
	draw(&line);
}

static void show_history(size_t back)
{
	const char *text = history_get(back);

	if (back > 0 && !text) {
		draw_bell();
		return;
	}
	if (shown_back == 0)
		typed = line;
	shown_back = back;
	if (back == 0)
		line = typed;
	else
		line_set(&line, text, strlen(text));
	draw(&line);
}

/*
 * ^R: the last line that has a text in it; ^R again: the one before. Returns
 * the key that ended the search.
 */
static int search_history(void)
{
	static struct line wanted;
	static char prompt[LINE_ROOM + 16];
	size_t back = 1, found = 0;
	int key;

	line_set(&wanted, "", 0);
	for (;;) {
		wanted.text[wanted.length] = '\0';
		if (wanted.length > 0 &&
		    (found = history_search(back, wanted.text)))
			show_history(found);
		snprintf(prompt, sizeof(prompt), "(search)`%s': ", wanted.text);
		draw_with_prompt(&line, prompt);
		key = read_key();
		if (key == CTRL('R')) {
			back = found + 1;
		} else if (key == CTRL('H') || key == 0x7f) {
			line_delete(&wanted,
				    line_previous(&wanted, wanted.length),
				    wanted.length);
			back = 1;
		} else if (key >= ' ' && key < ALT) {
			line_insert(&wanted, &(char) { key }, 1);
			back = 1;
		} else {
			draw_with_prompt(&line, prompt_text);
			return key;
		}
	}
}

static void obey(int key)
{
	switch (key) {
	case KEY_LEFT: case CTRL('B'):
		move(line_previous(&line, line.cursor));
		break;
	case KEY_RIGHT: case CTRL('F'):
		move(line_next(&line, line.cursor));
		break;
	case KEY_WORD_LEFT: case ALT | 'b':
		move(line_previous_word(&line, line.cursor));
		break;
	case KEY_WORD_RIGHT: case ALT | 'f':
		move(line_next_word(&line, line.cursor));
		break;
	case KEY_HOME: case CTRL('A'):
		move(0);
		break;
	case KEY_END: case CTRL('E'):
		move(line.length);
		break;
	case KEY_UP: case CTRL('P'):
		show_history(shown_back + 1);
		break;
	case KEY_DOWN: case CTRL('N'):
		if (shown_back > 0)
			show_history(shown_back - 1);
		break;
	case CTRL('H'): case 0x7f:
		delete_before();
		break;
	case KEY_DELETE: case CTRL('D'):
		delete_here();
		break;
	case CTRL('K'):
		kill_text(line.cursor, line.length);
		break;
	case CTRL('U'):
		kill_text(0, line.cursor);
		break;
	case CTRL('W'):
		kill_text(line_previous_word(&line, line.cursor), line.cursor);
		break;
	case ALT | 'd':
		kill_text(line.cursor, line_next_word(&line, line.cursor));
		break;
	case CTRL('Y'):
		insert(killed, killed_length);
		break;
	case CTRL('L'):
		fputs("\033[H\033[2J", stderr);
		draw_again(&line);
		break;
	case '\t':
		line_complete(&line);
		break;
	default:
		if (key >= ' ' && key < ALT)
			insert_character(key);
	}
}

/* False: the end, with errno 0, or an error. */
static bool edit(void)
{
	for (;;) {
		int key = read_key();

		if (key == CTRL('R'))
			key = search_history();
		if (key == KEY_FAILED)
			return false;
		if (key == '\n' || key == '\r')
			return true;
		if (key == CTRL('D') && line.length == 0) {
			errno = 0;
			return false;
		}
		obey(key);
	}
}

static struct termios before;		/* the last prompt */
static bool was_prompting;

void line_restore_terminal(void)
{
	if (was_prompting)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
}

ssize_t line_read(const char *prompt, char *text)
{
	bool complete, fresh;
	int error;

	if (keys_begin(STDIN_FILENO, &before) < 0)
		return -1;
	was_prompting = true;
	line_set(&line, "", 0);
	shown_back = 0;
	prompt_text = draw_begin(prompt);
	complete = edit();
	error = errno;
	fresh = draw_end(&line);
	if (!complete && error == EINTR)
		fputs("^C", stderr);
	else if (!fresh)
		fputs("\n", stderr);
	line_restore_terminal();
	errno = error;
	if (!complete)
		return error ? -1 : 0;
	history_add(line.text, line.length);
	memcpy(text, line.text, line.length);
	text[line.length] = '\n';
	return line.length + 1;
}
