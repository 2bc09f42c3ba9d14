/* SPDX-License-Identifier: GPL-2.0-only */
/* dirname PATH...: what precedes the last slash. */
#include <err.h>
#include <stdio.h>
#include <string.h>

static size_t without_slashes(const char *path, size_t length)
{
	while (length > 1 && path[length - 1] == '/')
		length--;
	return length;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		errx(1, "missing operand");
	for (int i = 1; i < argc; i++) {
		size_t length = without_slashes(argv[i], strlen(argv[i]));

		while (length > 0 && argv[i][length - 1] != '/')
			length--;
		length = without_slashes(argv[i], length);
		printf("%.*s\n", length ? (int)length : 1,
		       length ? argv[i] : ".");
	}
	return 0;
}
