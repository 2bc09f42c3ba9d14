/* SPDX-License-Identifier: GPL-2.0-only */
/* yes [WORD]...: prints the words, or y, until nobody reads them. */
#include <err.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	for (;;) {
		for (int i = 1; i < argc; i++) {
			fputs(argv[i], stdout);
			fputc(i + 1 < argc ? ' ' : '\n', stdout);
		}
		if (argc < 2)
			fputs("y\n", stdout);
		if (ferror(stdout))
			err(1, "standard output");
	}
}
