/* SPDX-License-Identifier: GPL-2.0-only */
/* truncate [-c] -s [+-]SIZE[KMG] FILE...: gives files another size. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static long parse_size(const char *text)
{
	static const char units[] = "KMGT";
	const char *unit;
	char *end;
	long size = strtol(text, &end, 10);

	if (end == text)
		errx(1, "Invalid number: '%s'", text);
	unit = *end ? strchr(units, *end) : NULL;
	if (*end && (!unit || end[1]))
		errx(1, "Invalid number: '%s'", text);
	return unit ? size << 10 * (unit - units + 1) : size;
}

int main(int argc, char **argv)
{
	const char *text = NULL;
	bool no_create = false;
	int status = 0, option;

	while ((option = getopt(argc, argv, "cs:")) != -1) {
		if (option == 'c')
			no_create = true;
		else if (option == 's')
			text = optarg;
		else
			return 1;
	}
	if (!text)
		errx(1, "you must specify either '--size' or '--reference'");
	if (optind == argc)
		errx(1, "missing file operand");
	for (; optind < argc; optind++) {
		long size = parse_size(text);
		struct stat st;
		int fd = open(argv[optind],
			      O_WRONLY | (no_create ? 0 : O_CREAT), 0666);

		if (fd < 0 && no_create && errno == ENOENT)
			continue;
		if (fd < 0) {
			warn("cannot open '%s' for writing", argv[optind]);
			status = 1;
			continue;
		}
		if (strchr("+-", *text) && fstat(fd, &st) == 0)
			size = st.st_size + size < 0 ? 0 : st.st_size + size;
		if (ftruncate(fd, size) < 0) {
			warn("failed to truncate '%s' at %ld bytes",
			     argv[optind], size);
			status = 1;
		}
		close(fd);
	}
	return status;
}
