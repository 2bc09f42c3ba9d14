/* SPDX-License-Identifier: GPL-2.0-only */
/* mkdir [-pv] [-m MODE] DIRECTORY...: makes folders. */
#include <err.h>
#include <errno.h>
#include <files.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool parents, verbose;

static bool make(const char *path, mode_t mode)
{
	if (mkdir(path, mode) == 0) {
		if (verbose)
			printf("%s: created directory '%s'\n", program_name,
			       path);
		return true;
	}
	if (parents && errno == EEXIST && is_folder(path))
		return true;
	warn("cannot create directory '%s'", path);
	return false;
}

/* Every folder on the way; the user's own bits are needed to go on. */
static bool make_parents(char *path)
{
	for (char *at = path + 1; *at; at++) {
		bool made;

		if (*at != '/' || at[1] == '/' || !at[1])
			continue;
		*at = '\0';
		made = make(path, 0777);
		*at = '/';
		if (!made)
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	static const struct long_option names[] = {
		{ "parents", 'p' }, { "verbose", 'v' }, { "mode", 'm' },
		{ NULL, 0 }
	};
	const char *mode_text = NULL;
	mode_t mode = 0777;
	int status = 0, option;

	while ((option = getopt_long(argc, argv, "pvm:", names)) != -1) {
		if (option == 'p')
			parents = true;
		else if (option == 'v')
			verbose = true;
		else if (option == 'm')
			mode_text = optarg;
		else
			return 1;
	}
	if (mode_text && !parse_mode(mode_text, 0777, &mode))
		errx(1, "invalid mode '%s'", mode_text);
	if (optind == argc)
		errx(1, "missing operand");
	for (; optind < argc; optind++) {
		char *path = argv[optind];

		if ((parents && *path && !make_parents(path)) ||
		    !make(path, mode) ||
		    (mode_text && chmod(path, mode) < 0))
			status = 1;
	}
	return status;
}
