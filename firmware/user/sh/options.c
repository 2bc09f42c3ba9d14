/* SPDX-License-Identifier: GPL-2.0-only */
/* The shell's options: set -e, set -o errexit. */
#include <string.h>

#include "shell.h"

struct options options;

static const struct {
	char letter;
	const char *name;
	bool *value;
} table[] = {
	{ 'e', "errexit", &options.exit_on_error },
	{ 'f', "noglob", &options.no_files },
	{ 'n', "noexec", &options.no_execution },
	{ 'x', "xtrace", &options.trace },
	{ 'v', "verbose", &options.verbose },
	{ 'C', "noclobber", &options.no_clobber },
	{ 'a', "allexport", &options.export_all },
	{ 'u', "nounset", &options.unset },
};

#define COUNT	(sizeof(table) / sizeof(*table))

bool option_set(char letter, bool on)
{
	for (size_t i = 0; i < COUNT; i++) {
		if (table[i].letter != letter)
			continue;
		*table[i].value = on;
		return true;
	}
	return false;
}

bool option_set_named(const char *name, bool on)
{
	for (size_t i = 0; i < COUNT; i++)
		if (!strcmp(table[i].name, name))
			return option_set(table[i].letter, on);
	return false;
}

void options_print(bool as_commands)
{
	if (!as_commands)
		puts("Current option settings");
	for (size_t i = 0; i < COUNT; i++) {
		if (as_commands)
			printf("set %co %s\n", *table[i].value ? '-' : '+',
			       table[i].name);
		else
			printf("%-16s%s\n", table[i].name,
			       *table[i].value ? "on" : "off");
	}
}

const char *option_letters(void)
{
	static char letters[COUNT + 2];
	char *to = letters;

	for (size_t i = 0; i < COUNT; i++)
		if (*table[i].value)
			*to++ = table[i].letter;
	if (shell.interactive)
		*to++ = 'i';
	*to = '\0';
	return letters;
}
