/* SPDX-License-Identifier: GPL-2.0-only */
/* tty [-s]: the name of the terminal that is the input; status 1: it is none. */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	bool terminal = isatty(STDIN_FILENO), silent = false;
	char name[PATH_MAX];
	ssize_t length;
	int option;

	while ((option = getopt(argc, argv, "s")) >= 0) {
		if (option == '?')
			return 2;
		silent = true;
	}
	if (!silent && !terminal)
		puts("not a tty");
	if (!silent && terminal) {
		length = readlink("/proc/self/fd/0", name, sizeof(name));
		if (length < 0)
			puts("/dev/tty");
		else
			printf("%.*s\n", (int)length, name);
	}
	return !terminal;
}
