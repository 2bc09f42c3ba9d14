/* SPDX-License-Identifier: GPL-2.0-only */
/* type and command: what a name means, and running it as that. */
#include <string.h>

#include "parse.h"

/* One line for type, or for command -v; 127 if it means nothing. */
static int describe(const char *name, bool verbose)
{
	const struct builtin *builtin = find_builtin(name);
	const char *path, *alias = alias_get(name);

	if (is_keyword(name)) {
		printf(verbose ? "%s is a shell keyword\n" : "%s\n", name);
	} else if (alias && verbose) {
		printf("%s is an alias for %s\n", name, alias);
	} else if (alias) {
		printf("alias ");
		alias_print(name, alias);
	} else if (builtin && builtin->special) {
		printf(verbose ? "%s is a special shell builtin\n" : "%s\n",
		       name);
	} else if (function_get(name)) {
		printf(verbose ? "%s is a shell function\n" : "%s\n", name);
	} else if (builtin) {
		printf(verbose ? "%s is a shell builtin\n" : "%s\n", name);
	} else if ((path = find_program(name))) {
		if (verbose)
			printf("%s is %s\n", name, path);
		else
			puts(path);
	} else {
		if (verbose)
			printf("%s: not found\n", name);
		return STATUS_NOT_FOUND;
	}
	return 0;
}

int run_type(int argc, char **argv)
{
	int status = 0;

	for (int i = 1; i < argc; i++)
		if (describe(argv[i], true))
			status = STATUS_NOT_FOUND;
	return status;
}

/* hash [-r] [NAME]...: nothing is remembered, but each must be there. */
int run_hash(int argc, char **argv)
{
	int status = 0;

	for (int i = 1; i < argc; i++) {
		if (argv[i][0] == '-' || find_builtin(argv[i]) ||
		    function_get(argv[i]) || find_program(argv[i]))
			continue;
		complain("%s: not found", argv[i]);
		status = 1;
	}
	return status;
}

int run_command(int argc, char **argv)
{
	char kind = 0;
	int i = 1;

	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		for (const char *option = argv[i] + 1; *option; option++) {
			if (!strchr("vVp", *option))
				fail("Illegal option -%c", *option);
			if (*option != 'p')
				kind = *option;
		}
	}
	if (i == argc)
		return 0;
	if (!kind)
		return run_command_words(argc - i, argv + i);
	return describe(argv[i], kind == 'V');
}
