/* SPDX-License-Identifier: GPL-2.0-only */
/* Keys, by the sequences that terminals of the xterm and linux kinds send. */
#include <errno.h>
#include <keys.h>
#include <stddef.h>
#include <unistd.h>

int keys_begin(int fd, struct termios *before)
{
	struct termios settings;

	if (tcgetattr(fd, before) < 0)
		return -1;
	settings = *before;
	settings.c_iflag &= ~IXON;
	settings.c_lflag &= ~(ICANON | ECHO | IEXTEN);
	settings.c_cc[VMIN] = 1;
	settings.c_cc[VTIME] = 0;
	return tcsetattr(fd, TCSADRAIN, &settings);
}

int key_read_byte(int fd)
{
	unsigned char c;
	ssize_t got = read(fd, &c, 1);

	if (got == 0)
		errno = 0;
	return got == 1 ? c : KEY_FAILED;
}

/* The rest of ESC [ or ESC O: numbers, and a letter or ~. */
static int read_sequence(int fd)
{
	static const struct {
		char final;
		short number, key;
	} keys[] = {
		{ 'A', 0, KEY_UP }, { 'B', 0, KEY_DOWN },
		{ 'C', 0, KEY_RIGHT }, { 'D', 0, KEY_LEFT },
		{ 'C', 5, KEY_WORD_RIGHT }, { 'D', 5, KEY_WORD_LEFT },
		{ 'H', 0, KEY_HOME }, { 'F', 0, KEY_END },
		{ '~', 1, KEY_HOME }, { '~', 7, KEY_HOME },
		{ '~', 4, KEY_END }, { '~', 8, KEY_END },
		{ '~', 3, KEY_DELETE },
		{ '~', 5, KEY_PAGE_UP }, { '~', 6, KEY_PAGE_DOWN },
	};
	int number = 0, c;

	while ((c = key_read_byte(fd)) == ';' || (c >= '0' && c <= '9'))
		number = c == ';' ? 0 : (number * 10 + c - '0') % 1000;
	if (c == KEY_FAILED)
		return c;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (keys[i].final == c && keys[i].number == number)
			return keys[i].key;
	return KEY_UNKNOWN;
}

int key_read(int fd)
{
	int c = key_read_byte(fd);

	if (c != CTRL('['))
		return c;
	c = key_read_byte(fd);
	if (c == '[' || c == 'O')
		return read_sequence(fd);
	return c == KEY_FAILED ? c : ALT | c;
}
