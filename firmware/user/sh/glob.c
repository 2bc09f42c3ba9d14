/* SPDX-License-Identifier: GPL-2.0-only */
/* Expands patterns to the names of files. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "shell.h"

static char *join(const char *directory, const char *name)
{
	size_t length = strlen(directory);
	char *path = arena_alloc(&temp_arena, length + strlen(name) + 1);

	memcpy(path, directory, length);
	strcpy(path + length, name);
	return path;
}

static void expand(const char *directory, const char *pattern,
		   struct strings *into);

/* All slashes that separate two components belong to the first. */
static size_t component_length(const char *pattern, size_t *with_slashes)
{
	size_t length = 0;

	while (pattern[length] && pattern[length] != '/')
		length++;
	*with_slashes = length;
	while (pattern[*with_slashes] == '/')
		(*with_slashes)++;
	return length;
}

/* rest is what follows the component, slashes and all. */
static void expand_component(const char *directory, const char *component,
			     const char *slashes, const char *rest,
			     struct strings *into)
{
	DIR *dir = opendir(*directory ? directory : ".");
	struct dirent *entry;

	if (!dir)
		return;
	while (!interrupted() && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' && component[0] != '.')
			continue;
		if (!pattern_match(component, entry->d_name))
			continue;
		expand(join(join(directory, entry->d_name), slashes), rest,
		       into);
	}
	closedir(dir);
}

/* directory is expanded and ends in a slash, or is empty. */
static void expand(const char *directory, const char *pattern,
		   struct strings *into)
{
	size_t all;
	size_t length = component_length(pattern, &all);
	char *component = arena_copy(&temp_arena, pattern, length);
	char *slashes = arena_copy(&temp_arena, pattern + length, all - length);
	struct stat st;

	if (!*pattern) {
		if (lstat(directory, &st) == 0)
			strings_add(into, (char *)directory);
	} else if (pattern_is_magic(component)) {
		expand_component(directory, component, slashes, pattern + all,
				 into);
	} else {
		pattern_unescape(component);
		expand(join(join(directory, component), slashes), pattern + all,
		       into);
	}
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

bool glob(const char *pattern, struct strings *into)
{
	size_t before = into->count;

	if (!pattern_is_magic(pattern))
		return false;
	expand("", pattern, into);
	interrupt_check();
	qsort(into->items + before, into->count - before,
	      sizeof(*into->items), by_bytes);
	return into->count > before;
}
