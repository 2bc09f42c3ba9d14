/* SPDX-License-Identifier: GPL-2.0-only */
/* rmdir [-pv] DIRECTORY...: removes empty folders. */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool parents, verbose;

static bool remove_one(const char *path)
{
	if (verbose)
		printf("%s: removing directory, '%s'\n", program_name, path);
	if (rmdir(path) == 0)
		return true;
	warn("failed to remove '%s'", path);
	return false;
}

static bool remove_with_parents(char *path)
{
	char *slash;

	while (remove_one(path)) {
		slash = strrchr(path, '/');
		while (slash && slash > path && !slash[1]) {
			*slash = '\0';
			slash = strrchr(path, '/');
		}
		if (!slash || slash == path)
			return true;
		*slash = '\0';
	}
	return false;
}

int main(int argc, char **argv)
{
	int status = 0, option;

	while ((option = getopt(argc, argv, "pv")) != -1) {
		if (option == 'p')
			parents = true;
		else if (option == 'v')
			verbose = true;
		else
			return 1;
	}
	if (optind == argc)
		errx(1, "missing operand");
	for (; optind < argc; optind++)
		if (!(parents ? remove_with_parents(argv[optind]) :
				remove_one(argv[optind])))
			status = 1;
	return status;
}
