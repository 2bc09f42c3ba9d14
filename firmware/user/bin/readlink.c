/* SPDX-License-Identifier: GPL-2.0-only */
/* readlink [-efn] FILE...: what symbolic links say; -f, -e: where paths lead to. */
#include <err.h>
#include <files.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *text_of(const char *link)
{
	char *text = xmalloc(PATH_MAX + 1);
	ssize_t length = readlink(link, text, PATH_MAX);

	if (length < 0) {
		free(text);
		return NULL;
	}
	text[length] = '\0';
	return text;
}

int main(int argc, char **argv)
{
	bool newline = true, whole = false, must_exist = false;
	int status = 0, option;

	while ((option = getopt(argc, argv, "efn")) != -1) {
		if (option == '?')
			return 1;
		newline &= option != 'n';
		whole |= option != 'n';
		must_exist |= option == 'e';
	}
	if (optind == argc)
		errx(1, "missing operand");
	for (; optind < argc; optind++) {
		char *text = whole ? resolve_path(argv[optind], must_exist) :
				     text_of(argv[optind]);

		if (!text) {
			status = 1;
			continue;
		}
		printf(newline ? "%s\n" : "%s", text);
		free(text);
	}
	return status;
}
