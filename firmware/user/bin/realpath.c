/* SPDX-License-Identifier: GPL-2.0-only */
/* realpath [-eq] PATH...: where paths lead to; with -e all of each must be there. */
#include <err.h>
#include <files.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	bool must_exist = false, quiet = false;
	int option, status = 0;

	while ((option = getopt(argc, argv, "eq")) != -1) {
		if (option == '?')
			return 1;
		must_exist |= option == 'e';
		quiet |= option == 'q';
	}
	if (optind == argc)
		errx(1, "missing operand");
	for (; optind < argc; optind++) {
		char *path = resolve_path(argv[optind], must_exist);

		if (path) {
			puts(path);
		} else {
			status = 1;
			if (!quiet)
				warn("%s", argv[optind]);
		}
		free(path);
	}
	return status;
}
