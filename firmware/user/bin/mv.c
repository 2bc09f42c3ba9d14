/* SPDX-License-Identifier: GPL-2.0-only */
/* mv [-fnTv] SOURCE... DEST: renames files, or moves them elsewhere. */
#include <err.h>
#include <errno.h>
#include <files.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool keep, verbose;

/* Another file system: a copy, and then no original. */
static bool move_across(const char *from, const char *to)
{
	const struct copy_how how = {
		.verb = "move", .recursive = true, .preserve = true,
		.force = true,
	};
	struct stat st;

	if (lstat(to, &st) == 0 && !S_ISDIR(st.st_mode) && unlink(to) < 0) {
		warn("cannot remove '%s'", to);
		return false;
	}
	return copy_file(from, to, &how) && remove_tree(from, false, false);
}

static bool move_file(const char *from, const char *to)
{
	struct stat a, b;

	if (lstat(from, &a) < 0) {
		warn("cannot stat '%s'", from);
		return false;
	}
	if (lstat(to, &b) == 0) {
		if (keep)
			return true;
		if (a.st_dev == b.st_dev && a.st_ino == b.st_ino) {
			warnx("'%s' and '%s' are the same file", from, to);
			return false;
		}
		if (S_ISDIR(b.st_mode) && !S_ISDIR(a.st_mode)) {
			warnx("cannot overwrite directory '%s' with non-directory",
			      to);
			return false;
		}
		if (!S_ISDIR(b.st_mode) && S_ISDIR(a.st_mode)) {
			warnx("cannot overwrite non-directory '%s' with directory '%s'",
			      to, from);
			return false;
		}
	}
	if (rename(from, to) < 0) {
		if (errno == EINVAL) {
			warnx("cannot move '%s' to a subdirectory of itself, '%s'",
			      from, to);
			return false;
		}
		if (errno != EXDEV) {
			warn("cannot move '%s' to '%s'", from, to);
			return false;
		}
		if (!move_across(from, to))
			return false;
	}
	if (verbose)
		printf("renamed '%s' -> '%s'\n", from, to);
	return true;
}

int main(int argc, char **argv)
{
	bool no_target_folder = false;
	const char *target;
	int option;

	while ((option = getopt(argc, argv, "fnTv")) != -1) {
		if (option == 'f')
			keep = false;
		else if (option == 'n')
			keep = true;
		else if (option == 'T')
			no_target_folder = true;
		else if (option == 'v')
			verbose = true;
		else
			return 1;
	}
	target = take_target(&argc, argv, optind);
	return to_target(argv + optind, argc - optind, target,
			 !no_target_folder && is_folder(target), move_file);
}
