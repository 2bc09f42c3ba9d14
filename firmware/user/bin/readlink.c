/* SPDX-License-Identifier: GPL-2.0-only */
/* readlink [-n] FILE...: what symbolic links say. */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	bool newline = true;
	int status = 0, option;
	char text[4096];

	while ((option = getopt(argc, argv, "n")) != -1) {
		if (option != 'n')
			return 1;
		newline = false;
	}
	if (optind == argc)
		errx(1, "missing operand");
	for (; optind < argc; optind++) {
		ssize_t length = readlink(argv[optind], text, sizeof(text));

		if (length < 0) {
			status = 1;
			continue;
		}
		fwrite(text, 1, length, stdout);
		if (newline)
			putchar('\n');
	}
	return status;
}
