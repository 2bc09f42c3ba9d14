/* SPDX-License-Identifier: GPL-2.0-only */
/* echo [-n] [WORD]...: prints the words; -n leaves out the newline. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	bool newline = true;
	int i = 1;

	for (; i < argc && !strcmp(argv[i], "-n"); i++)
		newline = false;
	for (bool first = true; i < argc; i++, first = false) {
		if (!first)
			fputc(' ', stdout);
		fputs(argv[i], stdout);
	}
	if (newline)
		fputc('\n', stdout);
	return 0;
}
