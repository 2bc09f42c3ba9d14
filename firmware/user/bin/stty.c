/* SPDX-License-Identifier: GPL-2.0-only */
/* stty [-a | size | [-]SETTING...]: shows and changes what a terminal does. */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum field { INPUT, OUTPUT, LOCAL };

static const struct setting {
	const char *name;
	enum field field;
	unsigned int bit;
} settings[] = {
	{ "icrnl", INPUT, ICRNL },
	{ "ixon", INPUT, IXON },
	{ "opost", OUTPUT, OPOST },
	{ "onlcr", OUTPUT, ONLCR },
	{ "isig", LOCAL, ISIG },
	{ "icanon", LOCAL, ICANON },
	{ "iexten", LOCAL, IEXTEN },
	{ "echo", LOCAL, ECHO },
	{ "echoe", LOCAL, ECHOE },
	{ "echok", LOCAL, ECHOK },
	{ "echonl", LOCAL, ECHONL },
	{ "noflsh", LOCAL, NOFLSH },
	{ "tostop", LOCAL, TOSTOP },
	{ "echoctl", LOCAL, ECHOCTL },
	{ "echoke", LOCAL, ECHOKE },
};

#define COUNT	(sizeof(settings) / sizeof(*settings))

static const struct key {
	const char *name;
	int index;
} keys[] = {
	{ "intr", VINTR }, { "quit", VQUIT }, { "erase", VERASE },
	{ "kill", VKILL }, { "eof", VEOF }, { "start", VSTART },
	{ "stop", VSTOP }, { "susp", VSUSP }, { "rprnt", VREPRINT },
	{ "werase", VWERASE }, { "lnext", VLNEXT },
};

static unsigned int *field_of(struct termios *t, enum field field)
{
	return field == INPUT ? &t->c_iflag :
	       field == OUTPUT ? &t->c_oflag : &t->c_lflag;
}

static void show(struct termios *t)
{
	struct winsize size;

	if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0)
		printf("speed 38400 baud; rows %d; columns %d;\n", size.ws_row,
		       size.ws_col);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		unsigned char c = t->c_cc[keys[i].index];

		printf("%s = ", keys[i].name);
		if (!c)
			printf("<undef>; ");
		else if (c < 32 || c == 127)
			printf("^%c; ", c ^ 64);
		else
			printf("%c; ", c);
	}
	printf("\n");
	for (size_t i = 0; i < COUNT; i++)
		printf("%s%s%s", i ? " " : "",
		       *field_of(t, settings[i].field) & settings[i].bit ?
		       "" : "-", settings[i].name);
	printf("\n");
}

static void set_raw(struct termios *t, bool raw)
{
	unsigned int local = ISIG | ICANON | IEXTEN;

	t->c_iflag = raw ? 0 : ICRNL | IXON;
	t->c_oflag = raw ? t->c_oflag & ~OPOST : OPOST | ONLCR;
	t->c_lflag = raw ? t->c_lflag & ~local : t->c_lflag | local;
	if (raw) {
		t->c_cc[VMIN] = 1;
		t->c_cc[VTIME] = 0;
	} else {
		t->c_cc[VEOF] = 'D' - 64;
	}
}

static bool apply(struct termios *t, const char *word)
{
	bool on = *word != '-';

	if (!strcmp(word, "raw") || !strcmp(word, "-cooked")) {
		set_raw(t, true);
		return true;
	}
	if (!strcmp(word, "cooked") || !strcmp(word, "-raw") ||
	    !strcmp(word, "sane")) {
		set_raw(t, false);
		if (!strcmp(word, "sane"))
			t->c_lflag |= ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE;
		return true;
	}
	for (size_t i = 0; i < COUNT; i++) {
		unsigned int *field = field_of(t, settings[i].field);

		if (strcmp(word + !on, settings[i].name))
			continue;
		*field = on ? *field | settings[i].bit :
			      *field & ~settings[i].bit;
		return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	struct winsize size;
	struct termios t;

	if (tcgetattr(STDIN_FILENO, &t) < 0)
		err(1, "'standard input'");
	if (argc == 1 || !strcmp(argv[1], "-a")) {
		show(&t);
		return 0;
	}
	if (!strcmp(argv[1], "size")) {
		if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) < 0)
			err(1, "'standard input'");
		printf("%d %d\n", size.ws_row, size.ws_col);
		return 0;
	}
	for (int i = 1; i < argc; i++)
		if (!apply(&t, argv[i]))
			errx(1, "invalid argument '%s'", argv[i]);
	if (tcsetattr(STDIN_FILENO, TCSADRAIN, &t) < 0)
		err(1, "'standard input'");
	return 0;
}
