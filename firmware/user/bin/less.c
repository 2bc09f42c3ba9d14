/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * less [-S] [FILE]...: shows text a screen at a time; -S cuts long lines off.
 * Without a terminal it is cat. Space f ^F PageDown, b ^B PageUp, d u: screens;
 * Enter j Down, k y Up: lines; g Home, G End; /TEXT n N: a search; q leaves.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <keys.h>
#include <regex.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static char **names;			/* yet to be read */
static int current = -1;		/* the file that is being read */
static int status;
static char *text;
static size_t length, room;
static size_t *lines;			/* where each begins */
static size_t line_count, line_room;
static bool ended;

static int keyboard;
static bool cut;
static size_t top;			/* the first line that shows */
static size_t screen_rows, screen_columns;
static struct regex *wanted;
static const char *notice;

/* False: there is no more. */
static bool next_file(void)
{
	for (; *names; names++) {
		current = !strcmp(*names, "-") ? STDIN_FILENO :
			  open(*names, O_RDONLY | O_CLOEXEC);
		if (current >= 0) {
			names++;
			return true;
		}
		warn("%s", names[0]);
		status = 1;
	}
	return false;
}

static void begin_line(size_t at)
{
	if (line_count == line_room) {
		line_room = line_room ? 2 * line_room : 1024;
		lines = xrealloc(lines, line_room * sizeof(*lines));
	}
	lines[line_count++] = at;
}

static void read_more(void)
{
	ssize_t got;

	if (current < 0 && !next_file()) {
		ended = true;
		return;
	}
	if (room - length < BUFSIZ)
		text = xrealloc(text, room = 2 * room + BUFSIZ);
	got = read(current, text + length, room - length);
	if (got < 0 && errno == EINTR) {	/* ^C: what there is will do */
		ended = true;
		return;
	}
	if (got <= 0) {
		close(current);
		current = -1;
		return;
	}
	for (ssize_t i = 0; i < got; i++, length++)
		if (length == 0 || text[length - 1] == '\n')
			begin_line(length);
}

/* Whether there is such a line; complete, unless it is the last. */
static bool have_line(size_t n)
{
	while (!ended && line_count <= n + 1)
		read_more();
	return n < line_count;
}

static size_t line_end(size_t n)
{
	size_t end = n + 1 < line_count ? lines[n + 1] : length;

	return end > lines[n] && text[end - 1] == '\n' ? end - 1 : end;
}

/* Puts a line on up to max rows of the screen; returns how many it takes. */
static size_t put_line(size_t n, size_t max, bool show)
{
	size_t rows = 1, column = 0;

	for (size_t i = lines[n]; i < line_end(n); i++) {
		unsigned char c = text[i];
		size_t cells = c == '\t' ? 8 - column % 8 :
			       c < ' ' || c == 0x7f ? 2 : (c & 0xc0) != 0x80;

		if (column + cells > screen_columns) {
			if (cut || rows == max)
				break;
			if (show)
				putchar('\n');
			rows++;
			column = 0;
		}
		column += cells;
		if (!show)
			continue;
		if (c == '\t')
			printf("%*s", (int)cells, "");
		else if (cells == 2)
			printf("^%c", c ^ 0x40);
		else
			putchar(c);
	}
	if (show)
		putchar('\n');
	return rows;
}

static size_t text_rows(void)
{
	return screen_rows - 1;
}

/* The first line of the last screen. */
static size_t last_top(void)
{
	size_t n, rows = 0;

	have_line(-2UL);
	for (n = line_count; n > 0; n--) {
		rows += put_line(n - 1, text_rows(), false);
		if (rows > text_rows())
			break;
	}
	return n;
}

static void measure(void)
{
	struct winsize size;

	if (ioctl(keyboard, TIOCGWINSZ, &size) < 0)
		size.ws_row = size.ws_col = 0;
	screen_rows = size.ws_row > 2 ? size.ws_row : 24;
	screen_columns = size.ws_col > 8 ? size.ws_col : 80;
}

static void draw(void)
{
	size_t n = top, rows = 0;

	have_line(top + text_rows());	/* messages come before */
	printf("\033[H\033[J");
	while (rows < text_rows() && have_line(n))
		rows += put_line(n++, text_rows() - rows, true);
	for (; rows < text_rows(); rows++)
		puts("~");
	if (notice)
		printf("\033[7m%s\033[m", notice);
	else
		printf(have_line(n) ? ":" : "\033[7m(END)\033[m");
	notice = NULL;
	fflush(stdout);
}

static void move_down(size_t count)
{
	while (count-- > 0 && have_line(top + 1))
		top++;
}

/* As many lines as fill so many rows. */
static void page_down(size_t rows)
{
	size_t n = top, used = 0;

	while (have_line(n + 1) && used < rows)
		used += put_line(n++, text_rows(), false);
	top = n;
}

static void move_up(size_t rows)
{
	size_t used = 0;

	while (top > 0 && used < rows)
		used += put_line(--top, text_rows(), false);
}

/* Shows the next line that matches, or the one before. */
static void search(bool forwards)
{
	struct match matches[REGEX_GROUPS];
	size_t n = top;

	while (wanted && (forwards ? have_line(++n) : n-- > 0)) {
		if (regex_search(wanted, text + lines[n],
				 line_end(n) - lines[n], 0, matches)) {
			top = n;
			return;
		}
	}
	notice = "Pattern not found";
}

static void ask_and_search(void)
{
	char expression[200];
	size_t used = 0;
	int key;

	for (;;) {
		expression[used] = '\0';
		printf("\r\033[K/%s", expression);
		fflush(stdout);
		key = key_read(keyboard);
		if (key == '\n' || key == '\r')
			break;
		if (key == CTRL('U')) {
			used = 0;
		} else if (key == 0x7f || key == CTRL('H')) {
			if (used-- == 0)
				return;
		} else if (key < ' ' || key >= ALT) {
			return;
		} else if (used < sizeof(expression) - 1) {
			expression[used++] = key;
		}
	}
	if (used > 0) {
		struct regex *regex = regex_compile(expression, 0, &notice);

		if (!regex)
			return;
		wanted = regex;
	}
	search(true);
}

/* False: that was all. */
static bool obey(int key)
{
	switch (key) {
	case ' ': case 'f': case CTRL('F'): case KEY_PAGE_DOWN:
		page_down(text_rows());
		break;
	case 'd': case CTRL('D'):
		page_down(text_rows() / 2);
		break;
	case '\n': case '\r': case 'j': case 'e': case CTRL('N'): case KEY_DOWN:
		move_down(1);
		break;
	case 'b': case CTRL('B'): case KEY_PAGE_UP:
		move_up(text_rows());
		break;
	case 'u': case CTRL('U'):
		move_up(text_rows() / 2);
		break;
	case 'k': case 'y': case CTRL('P'): case KEY_UP:
		move_up(1);
		break;
	case 'g': case '<': case KEY_HOME:
		top = 0;
		break;
	case 'G': case '>': case KEY_END:
		top = last_top();
		break;
	case '/':
		ask_and_search();
		break;
	case 'n':
		search(true);
		break;
	case 'N':
		search(false);
		break;
	case 'q': case 'Q': case KEY_FAILED:
		return false;
	}
	return true;
}

/* ^C is for who writes what we read; after ^Z all is drawn anew. */
static void come_back(int signal)
{
	(void)signal;
}

static void show_screens(void)
{
	struct sigaction act = { .sa_handler = come_back };
	struct termios before, ignored;
	int key;

	keys_begin(keyboard, &before);
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGCONT, &act, NULL);
	sigaction(SIGWINCH, &act, NULL);
	do {
		measure();
		draw();
		key = key_read(keyboard);
		if (key == KEY_FAILED && errno == EINTR) {
			keys_begin(keyboard, &ignored);
			key = KEY_UNKNOWN;
		}
	} while (obey(key));
	printf("\r\033[K");
	fflush(stdout);
	tcsetattr(keyboard, TCSADRAIN, &before);
}

static void copy(void)
{
	do {
		read_more();
		fwrite(text, 1, length, stdout);
		length = line_count = 0;
	} while (!ended);
}

int main(int argc, char **argv)
{
	static char *standard_input[] = { "-", NULL };
	int option;

	while ((option = getopt(argc, argv, "S")) >= 0) {
		if (option != 'S')
			return 1;
		cut = true;
	}
	names = optind < argc ? argv + optind : standard_input;
	if (names == standard_input && isatty(STDIN_FILENO))
		errx(1, "Missing filename (\"less FILE\", \"... | less\")");
	if (isatty(STDOUT_FILENO))
		keyboard = open("/dev/tty", O_RDWR | O_CLOEXEC);
	else
		keyboard = -1;
	if (keyboard < 0)
		copy();
	else
		show_screens();
	return status;
}
