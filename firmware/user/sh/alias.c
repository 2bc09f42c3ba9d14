/* SPDX-License-Identifier: GPL-2.0-only */
/* alias and unalias: other text for a word where a command begins. */
#include <stdlib.h>
#include <string.h>

#include "shell.h"

struct alias {
	char *name;
	char *text;
	struct alias *next;
};

static struct alias *aliases;	/* sorted by name */

static struct alias **find(const char *name)
{
	struct alias **at = &aliases;

	while (*at && strcmp((*at)->name, name) < 0)
		at = &(*at)->next;
	return at;
}

const char *alias_get(const char *name)
{
	const struct alias *alias = *find(name);

	return alias && !strcmp(alias->name, name) ? alias->text : NULL;
}

static bool remove_alias(const char *name)
{
	struct alias **at = find(name);
	struct alias *alias = *at;

	if (!alias_get(name))
		return false;
	*at = alias->next;
	free(alias->name);
	free(alias->text);
	free(alias);
	return true;
}

static void add_alias(const char *name, const char *text)
{
	struct alias *alias = xmalloc(sizeof(*alias));
	struct alias **at;

	remove_alias(name);
	at = find(name);
	alias->name = xstrdup(name);
	alias->text = xstrdup(text);
	alias->next = *at;
	*at = alias;
}

void alias_print(const char *name, const char *text)
{
	printf("%s=", name);
	print_quoted(text);
	putchar('\n');
}

static int not_found(const char *builtin, const char *name)
{
	fprintf(stderr, "%s: %s not found\n", builtin, name);
	return 1;
}

/* alias [NAME[=TEXT]]... */
int run_alias(int argc, char **argv)
{
	int status = 0;

	for (const struct alias *a = aliases; argc < 2 && a; a = a->next)
		alias_print(a->name, a->text);
	for (int i = 1; i < argc; i++) {
		char *equals = *argv[i] ? strchr(argv[i] + 1, '=') : NULL;

		if (equals) {
			*equals = '\0';
			add_alias(argv[i], equals + 1);
		} else if (alias_get(argv[i])) {
			alias_print(argv[i], alias_get(argv[i]));
		} else {
			status = not_found(argv[0], argv[i]);
		}
	}
	return status;
}

/* unalias -a | NAME... */
int run_unalias(int argc, char **argv)
{
	int status = 0;

	if (argc > 1 && !strcmp(argv[1], "-a"))
		while (aliases)
			remove_alias(aliases->name);
	else
		for (int i = 1; i < argc; i++)
			if (!remove_alias(argv[i]))
				status = not_found(argv[0], argv[i]);
	return status;
}
