/* SPDX-License-Identifier: GPL-2.0-only */
/* cp [-adfLPprRTv] SOURCE... DEST: copies files, with -r trees. */
#include <err.h>
#include <errno.h>
#include <files.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct copy_how how = { .verb = "copy", .follow = true };
	bool into, no_target_folder = false, follow_asked = false;
	const char *target;
	int status = 0, option;

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
	if (optind == argc)
		errx(1, "missing file operand");
	if (optind + 1 == argc)
		errx(1, "missing destination file operand after '%s'",
		     argv[optind]);
	target = argv[--argc];
	into = !no_target_folder && is_folder(target);
	check_target(target, into, argc - optind);
	for (; optind < argc; optind++) {
		char *to = target_path(target, into, argv[optind]);

		if (!copy_file(argv[optind], to, &how))
			status = 1;
		free(to);
	}
	return status;
}
