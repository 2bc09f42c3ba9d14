/* SPDX-License-Identifier: GPL-2.0-only */
/* tac [FILE]...: the lines of each file, the last one first. */
#include <err.h>
#include <input.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool show(int fd, bool last)
{
	size_t room = BUFSIZ, length = 0;
	char *data = xmalloc(room);
	ssize_t got;

	(void)last;
	while ((got = read(fd, data + length, room - length)) > 0) {
		length += got;
		if (length == room)
			data = xrealloc(data, room *= 2);
	}
	while (got == 0 && length > 0) {
		size_t from = length - 1;

		while (from > 0 && data[from - 1] != '\n')
			from--;
		fwrite(data + from, 1, length - from, stdout);
		length = from;
	}
	free(data);
	return got == 0;
}

int main(int argc, char **argv)
{
	static char *standard_input[] = { "-", NULL };

	if (getopt(argc, argv, "") >= 0)
		return 1;
	return show_files(optind < argc ? argv + optind : standard_input,
			  false, show);
}
