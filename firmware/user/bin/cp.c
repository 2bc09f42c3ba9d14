/* SPDX-License-Identifier: GPL-2.0-only */
/* cp [-adfLPprRTv] SOURCE... DEST: copies files, with -r trees. */
#include <err.h>
#include <files.h>
#include <stdio.h>
#include <unistd.h>

static struct copy_how how = { .verb = "copy", .follow = true };

static bool copy_one(const char *from, const char *to)
{
	return copy_file(from, to, &how);
}

int main(int argc, char **argv)
{
	bool no_target_folder = false, follow_asked = false;
	const char *target;
	int option;

	while ((option = getopt(argc, argv, "adfLPprRTv")) != -1) {
		switch (option) {
		case 'a':
			how.recursive = how.preserve = true;
			how.follow = false;
			break;
		case 'd':
		case 'P':
			how.follow = false;
			break;
		case 'L':
			how.follow = follow_asked = true;
			break;
		case 'f':
			how.force = true;
			break;
		case 'p':
			how.preserve = true;
			break;
		case 'r':
		case 'R':
			how.recursive = true;
			how.follow = follow_asked;
			break;
		case 'T':
			no_target_folder = true;
			break;
		case 'v':
			how.verbose = true;
			break;
		default:
			return 1;
		}
	}
	target = take_target(&argc, argv, optind);
	return to_target(argv + optind, argc - optind, target,
			 !no_target_folder && is_folder(target), copy_one);
}
