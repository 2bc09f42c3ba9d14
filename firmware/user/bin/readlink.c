/* SPDX-License-Identifier: GPL-2.0-only */
/* readlink [-n] FILE...: what symbolic links say; -n leaves out the newline. */
#include <err.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	bool newline = true;
	int status = 0, option;

	while ((option = getopt(argc, argv, "n")) != -1) {
		if (option == '?')
			return 1;
		newline = false;
	}
	if (optind == argc)
		errx(1, "missing operand");
	for (; optind < argc; optind++) {
		static char text[PATH_MAX];
		ssize_t length = readlink(argv[optind], text, sizeof(text));

		if (length < 0) {
			status = 1;
			continue;
		}
		printf(newline ? "%.*s\n" : "%.*s", (int)length, text);
	}
	return status;
}
