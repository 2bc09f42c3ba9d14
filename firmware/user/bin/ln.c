/* SPDX-License-Identifier: GPL-2.0-only */
/* ln [-fnsTv] TARGET... [LINK]: gives files more names, or links to them. */
#include <err.h>
#include <errno.h>
#include <files.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool symbolic, force, verbose;

static bool make(const char *target, const char *path)
{
	struct stat st;

	if (!symbolic && lstat(target, &st) < 0) {
		warn("failed to access '%s'", target);
		return false;
	}
	if (!symbolic && S_ISDIR(st.st_mode)) {
		warnx("%s: hard link not allowed for directory", target);
		return false;
	}
	for (int tries = 0; ; tries++) {
		if ((symbolic ? symlink : link)(target, path) == 0)
			break;
		if (tries || !force || errno != EEXIST || unlink(path) < 0) {
			warn("failed to create %s link '%s'",
			     symbolic ? "symbolic" : "hard", path);
			return false;
		}
	}
	if (verbose)
		printf("'%s' %s> '%s'\n", path, symbolic ? "-" : "=", target);
	return true;
}

/* -n: a link to a folder is the link, not the folder. */
static bool is_target_folder(const char *path, bool no_follow)
{
	struct stat st;

	return (no_follow ? lstat : stat)(path, &st) == 0 &&
	       S_ISDIR(st.st_mode);
}

int main(int argc, char **argv)
{
	bool no_follow = false, no_target_folder = false, into;
	const char *folder = ".";
	int option;

	while ((option = getopt(argc, argv, "fnsTv")) != -1) {
		if (option == 'f')
			force = true;
		else if (option == 'n')
			no_follow = true;
		else if (option == 's')
			symbolic = true;
		else if (option == 'T')
			no_target_folder = true;
		else if (option == 'v')
			verbose = true;
		else
			return 1;
	}
	if (optind == argc)
		errx(1, "missing file operand");
	into = true;
	if (optind + 1 < argc) {
		folder = argv[--argc];
		into = !no_target_folder && is_target_folder(folder, no_follow);
	}
	return to_target(argv + optind, argc - optind, folder, into, make);
}
