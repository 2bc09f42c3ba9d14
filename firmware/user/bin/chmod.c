/* SPDX-License-Identifier: GPL-2.0-only */
/* chmod [-Rf] MODE FILE...: changes who may do what with files. */
#include <err.h>
#include <files.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool recursive, quiet;
static const char *mode_text;

static bool change(const char *path, bool named)
{
	bool changed = true;
	struct stat st;
	char **names;
	mode_t mode;

	/* A link's own mode means nothing. */
	if (lstat(path, &st) < 0 ||
	    (S_ISLNK(st.st_mode) && named && stat(path, &st) < 0)) {
		if (!quiet)
			warn("cannot access '%s'", path);
		return false;
	}
	if (S_ISLNK(st.st_mode))
		return true;
	parse_mode(mode_text, st.st_mode, &mode);
	if (chmod(path, mode) < 0) {
		if (!quiet)
			warn("changing permissions of '%s'", path);
		changed = false;
	}
	if (!recursive || !S_ISDIR(st.st_mode))
		return changed;
	names = list_folder(path);
	if (!names) {
		warn("cannot read directory '%s'", path);
		return false;
	}
	for (char **name = names; *name; name++) {
		char *child = path_join(path, *name);

		changed &= change(child, false);
		free(child);
	}
	free_list(names);
	return changed;
}

/* "-x" is a mode, though it looks like options. */
static bool is_mode(const char *word)
{
	mode_t mode;

	return word[0] == '-' && word[1] && strcmp(word, "--") &&
	       parse_mode(word, 0, &mode);
}

int main(int argc, char **argv)
{
	int status = 0, at = 1;
	mode_t mode;

	for (; at < argc && argv[at][0] == '-' && !is_mode(argv[at]); at++) {
		if (!strcmp(argv[at], "--")) {
			at++;
			break;
		}
		for (const char *o = argv[at] + 1; *o; o++) {
			if (*o == 'R')
				recursive = true;
			else if (*o == 'f')
				quiet = true;
			else
				errx(1, "invalid option -- '%c'", *o);
		}
	}
	if (at == argc)
		errx(1, "missing operand");
	mode_text = argv[at++];
	if (!parse_mode(mode_text, 0, &mode))
		errx(1, "invalid mode: '%s'", mode_text);
	if (at == argc)
		errx(1, "missing operand after '%s'", mode_text);
	for (; at < argc; at++)
		if (!change(argv[at], true))
			status = 1;
	return status;
}
