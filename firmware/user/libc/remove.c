/* SPDX-License-Identifier: GPL-2.0-only */
/* Removing files and trees, for rm and mv. */
#include <err.h>
#include <errno.h>
#include <files.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool cannot_remove(const char *path)
{
	warn("cannot remove '%s'", path);
	return false;
}

static bool remove_folder(const char *path, bool force, bool verbose)
{
	char **names = list_folder(path);
	bool removed = true;

	if (!names)
		return cannot_remove(path);
	for (char **name = names; *name; name++) {
		char *child = path_join(path, *name);

		removed &= remove_tree(child, force, verbose);
		free(child);
	}
	free_list(names);
	if (!removed)
		return false;
	if (rmdir(path) < 0)
		return cannot_remove(path);
	if (verbose)
		printf("removed directory '%s'\n", path);
	return true;
}

bool remove_tree(const char *path, bool force, bool verbose)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return force && errno == ENOENT ? true : cannot_remove(path);
	if (S_ISDIR(st.st_mode))
		return remove_folder(path, force, verbose);
	if (unlink(path) < 0)
		return cannot_remove(path);
	if (verbose)
		printf("removed '%s'\n", path);
	return true;
}
