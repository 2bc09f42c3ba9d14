/* SPDX-License-Identifier: GPL-2.0-only */
/* head [-n LINES] [-c BYTES] [-LINES] [-qv] [FILE]...: the first ones. */
#include <err.h>
#include <input.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool bytes;
static bool but_last;			/* all but the last so many */
static long wanted = 10;

static void set_count(const char *text, bool of_bytes)
{
	bytes = of_bytes;
	but_last = *text == '-';
	wanted = parse_number(text + (but_last || *text == '+'));
	if (wanted < 0)
		errx(1, "invalid number of %s: '%s'",
		     bytes ? "bytes" : "lines", text);
}

/* The length of the part of data that belongs; less than all: then ends. */
static size_t take(const char *data, size_t length, long *left)
{
	size_t used = 0;

	if (bytes) {
		used = length < (size_t)*left ? length : (size_t)*left;
		*left -= used;
		return used;
	}
	while (used < length && *left > 0)
		if (data[used++] == '\n')
			--*left;
	return used;
}

static char *read_all(int fd, size_t *length)
{
	size_t room = BUFSIZ;
	char *all = xmalloc(room);
	ssize_t got;

	for (*length = 0; (got = read(fd, all + *length, room - *length)) > 0;) {
		*length += got;
		if (*length == room)
			all = xrealloc(all, room *= 2);
	}
	if (got < 0)
		*length = (size_t)-1;
	return all;
}

static bool copy_but_last(int fd)
{
	size_t length;
	char *all = read_all(fd, &length);
	long left = wanted;

	if (length == (size_t)-1)
		return false;
	if (bytes) {
		length = length > (size_t)left ? length - left : 0;
	} else {
		/* A last line without a newline is one too. */
		if (length && all[length - 1] != '\n' && left)
			left--;
		for (; length > 0; length--)
			if (all[length - 1] == '\n' && left-- == 0)
				break;
	}
	fwrite(all, 1, length, stdout);
	free(all);
	return true;
}

static bool copy(int fd)
{
	char data[BUFSIZ];
	long left = wanted;
	ssize_t got;

	if (but_last)
		return copy_but_last(fd);
	while (left > 0) {
		size_t used;

		got = read(fd, data, sizeof(data));
		if (got <= 0)
			return got == 0;
		used = take(data, got, &left);
		fwrite(data, 1, used, stdout);
		if (used < (size_t)got)
			/* The rest is for whoever reads next. */
			lseek(fd, (off_t)used - got, SEEK_CUR);
	}
	return true;
}

static bool show(int fd, bool last)
{
	(void)last;
	return copy(fd);
}

int main(int argc, char **argv)
{
	static char *standard[] = { "-", NULL };
	static const struct long_option names[] = {
		{ "lines", 'n' }, { "bytes", 'c' }, { "quiet", 'q' },
		{ "silent", 'q' }, { "verbose", 'v' }, { NULL, 0 }
	};
	int headers = -1, option;

	if (argc > 1 && argv[1][0] == '-' && parse_number(argv[1] + 1) >= 0) {
		set_count(argv[1] + 1, false);
		optind = 2;
	}
	while ((option = getopt_long(argc, argv, "n:c:qv", names)) >= 0) {
		if (option == 'n' || option == 'c')
			set_count(optarg, option == 'c');
		else if (option == 'q' || option == 'v')
			headers = option == 'v';
		else
			return 1;
	}
	if (headers < 0)
		headers = argc - optind > 1;
	argv = optind < argc ? argv + optind : standard;
	return show_files(argv, headers, show);
}
