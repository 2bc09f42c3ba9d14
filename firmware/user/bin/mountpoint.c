/* SPDX-License-Identifier: GPL-2.0-only */
/* mountpoint [-dq] PATH: status 0 if something is mounted there, 32 if not. */
#include <err.h>
#include <files.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define NOT_MOUNTED	32

int main(int argc, char **argv)
{
	bool quiet = false, number = false, mounted;
	struct stat here, above;
	const char *path;
	int option;

	while ((option = getopt(argc, argv, "dq")) >= 0) {
		switch (option) {
		case 'd': number = true; break;
		case 'q': quiet = true; break;
		default: return 1;
		}
	}
	if (argc - optind != 1)
		errx(1, "bad usage");
	path = argv[optind];
	if (stat(path, &here) < 0 ||
	    (S_ISDIR(here.st_mode) && stat(path_join(path, ".."), &above) < 0)) {
		if (quiet)
			return 1;
		err(1, "%s", path);
	}
	/* Only the root of all is its own parent. */
	mounted = S_ISDIR(here.st_mode) && (here.st_dev != above.st_dev ||
					    here.st_ino == above.st_ino);
	if (mounted && number)
		printf("%u:%u\n", (unsigned int)major(here.st_dev),
		       (unsigned int)minor(here.st_dev));
	else if (!quiet)
		printf("%s is %sa mountpoint\n", path, mounted ? "" : "not ");
	return mounted ? 0 : NOT_MOUNTED;
}
