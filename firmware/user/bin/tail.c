/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tail [-n [+]LINES] [-c [+]BYTES] [-LINES] [-fqv] [FILE]...: the last ones, or
 * all from the one with that number; -f goes on with what is added.
 */
#include <err.h>
#include <input.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool bytes, from_start, follow;
static size_t wanted = 10;

static void set_count(const char *text, bool of_bytes)
{
	long number;

	bytes = of_bytes;
	from_start = *text == '+';
	number = parse_number(text + (*text == '+' || *text == '-'));
	if (number < 0)
		errx(1, "invalid number of %s: '%s'",
		     bytes ? "bytes" : "lines", text);
	wanted = number;
}

/* Skips what comes before and prints the rest as it comes. */
static bool copy_from_start(int fd)
{
	size_t skip = wanted ? wanted - 1 : 0;
	char data[BUFSIZ];
	ssize_t got;

	while ((got = read(fd, data, sizeof(data))) > 0) {
		ssize_t at = 0;

		for (; at < got && skip > 0; at++)
			if (bytes || data[at] == '\n')
				skip--;
		fwrite(data + at, 1, got - at, stdout);
	}
	return got == 0;
}

/* How much of the end of the data is wanted. */
static size_t end_length(const char *data, size_t length)
{
	size_t lines = wanted, at = length;

	if (bytes || wanted == 0)
		return wanted < length ? wanted : length;
	if (at > 0 && data[at - 1] == '\n')
		at--;
	for (; at > 0; at--)
		if (data[at - 1] == '\n' && --lines == 0)
			break;
	return length - at;
}

static bool copy_end(int fd)
{
	size_t room = 4 * BUFSIZ, length = 0;
	char *data = xmalloc(room);
	ssize_t got;

	/* Only the end is kept; room is made when that is not enough. */
	while ((got = read(fd, data + length, room - length)) > 0) {
		length += got;
		if (length == room) {
			size_t keep = end_length(data, length);

			memmove(data, data + length - keep, keep);
			length = keep;
			if (length > room / 2)
				data = xrealloc(data, room *= 2);
		}
	}
	if (got == 0) {
		size_t keep = end_length(data, length);

		fwrite(data + length - keep, 1, keep, stdout);
	}
	free(data);
	return got == 0;
}

static bool copy_more(int fd)
{
	const struct timespec pause = { 1, 0 };
	char data[BUFSIZ];
	ssize_t got;

	for (;;) {
		while ((got = read(fd, data, sizeof(data))) > 0)
			fwrite(data, 1, got, stdout);
		if (got < 0)
			return false;
		if (fflush(stdout) < 0)
			exit(1);
		nanosleep(&pause, NULL);
	}
}

static bool show(int fd, bool last)
{
	return (from_start ? copy_from_start(fd) : copy_end(fd)) &&
	       (!follow || !last || copy_more(fd));
}

int main(int argc, char **argv)
{
	static char *standard[] = { "-", NULL };
	static const struct long_option names[] = {
		{ "lines", 'n' }, { "bytes", 'c' }, { "follow", 'f' },
		{ "quiet", 'q' }, { "silent", 'q' }, { "verbose", 'v' },
		{ NULL, 0 }
	};
	int headers = -1, option;

	if (argc > 1 && (argv[1][0] == '-' || argv[1][0] == '+') &&
	    parse_number(argv[1] + 1) >= 0) {
		set_count(argv[1], false);
		optind = 2;
	}
	while ((option = getopt_long(argc, argv, "n:c:fqv", names)) >= 0) {
		if (option == 'n' || option == 'c')
			set_count(optarg, option == 'c');
		else if (option == 'f')
			follow = true;
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
