/* SPDX-License-Identifier: GPL-2.0-only */
/* Long options, by the short ones that they stand for. */
#include <err.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "--period=5" is "-P5" if period is P; NULL if there is no such option. */
static char *short_option(const char *word, const struct long_option *names)
{
	const char *equals = strchr(word, '=');
	size_t length = equals ? (size_t)(equals - word) : strlen(word);
	char *option;

	for (; names->name; names++)
		if (strlen(names->name) == length &&
		    !strncmp(names->name, word, length))
			break;
	if (!names->name)
		return NULL;
	option = xmalloc(strlen(word) + 3);
	option[0] = '-';
	option[1] = names->letter;
	strcpy(option + 2, equals ? equals + 1 : "");
	return option;
}

int getopt_long(int argc, char *argv[], const char *options,
		const struct long_option *names)
{
	static bool done;
	int i;

	for (i = 1; !done && i < argc; i++) {
		char *option;

		if (argv[i][0] != '-' && *options != '+')
			continue;
		if (argv[i][0] != '-' || !strcmp(argv[i], "--"))
			break;
		if (argv[i][1] == '-') {
			option = short_option(argv[i] + 2, names);
			if (!option) {
				warnx("unrecognized option '%s'", argv[i]);
				return '?';
			}
			argv[i] = option;
		}
		i += option_takes_next(argv[i], options);
	}
	done = true;
	return getopt(argc, argv, options);
}
