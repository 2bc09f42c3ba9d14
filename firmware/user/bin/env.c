/* SPDX-License-Identifier: GPL-2.0-only */
/* env [-i] [-u NAME]... [NAME=VALUE]... [COMMAND [ARGUMENT]...] */
#include <err.h>
#include <exec.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static char *nothing[] = { NULL };
	int option;

	while ((option = getopt(argc, argv, "+iu:")) >= 0) {
		if (option == 'i')
			environ = nothing;
		else if (option == 'u')
			unsetenv(optarg);
		else
			return 125;
	}
	for (; optind < argc; optind++) {
		char *equals = strchr(argv[optind], '=');

		if (!equals)
			break;
		*equals = '\0';
		setenv(argv[optind], equals + 1, 1);
	}
	if (optind < argc)
		exec_or_exit(argv + optind, "'%s'");
	for (char **entry = environ; *entry; entry++)
		puts(*entry);
	return 0;
}
