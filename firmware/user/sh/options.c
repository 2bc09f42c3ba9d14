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

static bool set_letter(char letter, bool on)
{
	for (size_t i = 0; i < COUNT; i++) {
		if (table[i].letter != letter)
			continue;
		*table[i].value = on;
		return true;
	}
	return false;
}

static bool set_named(const char *name, bool on)
{
	for (size_t i = 0; i < COUNT; i++)
		if (!strcmp(table[i].name, name))
			return set_letter(table[i].letter, on);
	return false;
}

static void print_all(bool as_commands)
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

int options_take(char **words, const char *letter)
{
	bool on = **words == '-';

	if (*letter != 'o') {
		if (!set_letter(*letter, on))
			fail("Illegal option %c%c", **words, *letter);
		return 0;
	}
	if (!words[1])
		print_all(!on);
	else if (!set_named(words[1], on))
		fail("Illegal option %co %s", **words, words[1]);
	return words[1] ? 1 : 0;
}

const char *option_letters(void)
{
	static char letters[COUNT + 2];
	char *to = letters;

	for (size_t i = COUNT; i-- > 0;)
		if (*table[i].value)
			*to++ = table[i].letter;
	if (shell.interactive)
		*to++ = 'i';
	*to = '\0';
	return letters;
}
