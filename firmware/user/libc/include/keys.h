/* SPDX-License-Identifier: GPL-2.0-only */
/* Keys of a terminal, one by one, as programs read them that draw on it. */
#ifndef KEYS_H
#define KEYS_H

#include <termios.h>

#define CTRL(letter)	((letter) - '@')
#define ALT		0x100	/* and what followed Escape */

enum key {
	KEY_FAILED = -1,	/* the end (errno 0), or an error */
	KEY_LEFT = 0x200, KEY_RIGHT, KEY_UP, KEY_DOWN, KEY_HOME, KEY_END,
	KEY_DELETE, KEY_PAGE_UP, KEY_PAGE_DOWN, KEY_WORD_LEFT, KEY_WORD_RIGHT,
	KEY_UNKNOWN,
};

/* No lines, no echo; -1 if it is no terminal. before: for tcsetattr(). */
int keys_begin(int fd, struct termios *before);
/* A byte of text, one that ALT goes with, or a key with a name. */
int key_read(int fd);
int key_read_byte(int fd);

#endif
