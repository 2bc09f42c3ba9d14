/* SPDX-License-Identifier: GPL-2.0-only */
/* basename PATH [SUFFIX]: what follows the last slash. */
#include <err.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	char *name, *slash;
	size_t length;

	if (argc < 2)
		errx(1, "missing operand");
	if (argc > 3)
		errx(1, "extra operand '%s'", argv[3]);
	name = argv[1];
	length = strlen(name);
	while (length > 1 && name[length - 1] == '/')
		name[--length] = '\0';
	slash = strrchr(name, '/');
	if (slash && slash[1])
		name = slash + 1;
	if (argc > 2) {
		size_t suffix = strlen(argv[2]);

		length = strlen(name);
		if (length > suffix &&
		    !strcmp(name + length - suffix, argv[2]))
			name[length - suffix] = '\0';
	}
	puts(name);
	return 0;
}
