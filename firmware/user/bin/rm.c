/* SPDX-License-Identifier: GPL-2.0-only */
/* rm [-dfrRv] FILE...: removes files, with -r folders and what is in them. */
#include <err.h>
#include <errno.h>
#include <files.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool force, recursive, empty_folders, verbose;

static bool remove_one(const char *path)
{
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && !recursive) {
		if (empty_folders && rmdir(path) == 0)
			return true;
		if (!empty_folders)
			errno = EISDIR;
		warn("cannot remove '%s'", path);
		return false;
	}
	return remove_tree(path, force, verbose);
}

static bool is_dots(const char *path)
{
	char *name = path_name(path);
	bool dots = !strcmp(name, ".") || !strcmp(name, "..");

	free(name);
	return dots;
}

int main(int argc, char **argv)
{
	static const struct long_option names[] = {
		{ "dir", 'd' }, { "force", 'f' }, { "recursive", 'r' },
		{ "verbose", 'v' }, { NULL, 0 }
	};
	int status = 0, option;

	while ((option = getopt_long(argc, argv, "dfrRv", names)) != -1) {
		switch (option) {
		case 'd':
			empty_folders = true;
			break;
		case 'f':
			force = true;
			break;
		case 'r':
		case 'R':
			recursive = true;
			break;
		case 'v':
			verbose = true;
			break;
		default:
			return 1;
		}
	}
	if (optind == argc && !force)
		errx(1, "missing operand");
	for (; optind < argc; optind++) {
		const char *path = argv[optind];

		if (recursive && is_dots(path)) {
			warnx("refusing to remove '.' or '..' directory: skipping '%s'",
			      path);
			status = 1;
		} else if (recursive && !strcmp(path, "/")) {
			warnx("it is dangerous to operate recursively on '/'");
			status = 1;
		} else if (!remove_one(path)) {
			status = 1;
		}
	}
	return status;
}
