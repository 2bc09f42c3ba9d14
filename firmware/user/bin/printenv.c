/* SPDX-License-Identifier: GPL-2.0-only */
/* printenv [NAME]...: the environment, or the values of some of it. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int status = 0;

	if (argc < 2)
		for (char **entry = environ; *entry; entry++)
			puts(*entry);
	for (int i = 1; i < argc; i++) {
		const char *value = getenv(argv[i]);

		if (value)
			puts(value);
		else
			status = 1;
	}
	return status;
}
