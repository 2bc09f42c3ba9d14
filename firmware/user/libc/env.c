/* SPDX-License-Identifier: GPL-2.0-only */
/* The environment. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The entry of a name that is length characters long; NULL: none. */
static char **find(const char *name, size_t length)
{
	for (char **entry = environ; *entry; entry++)
		if (!strncmp(*entry, name, length) && (*entry)[length] == '=')
			return entry;
	return NULL;
}

char *getenv(const char *name)
{
	size_t length = strlen(name);
	char **entry = find(name, length);

	return entry ? *entry + length + 1 : NULL;
}

int unsetenv(const char *name)
{
	size_t length = strlen(name);
	char **entry;

	while ((entry = find(name, length)))
		for (; *entry; entry++)
			entry[0] = entry[1];
	return 0;
}

/* A new list each time: the first is the stack's. */
int setenv(const char *name, const char *value, int overwrite)
{
	size_t length = strlen(name);
	char *text = malloc(length + strlen(value) + 2);
	char **entry = find(name, length);
	size_t count = 0;
	char **list;

	if (entry && !overwrite) {
		free(text);
		return 0;
	}
	while (environ[count])
		count++;
	list = malloc((count + 2) * sizeof(*list));
	if (!text || !list) {
		errno = ENOMEM;
		return -1;
	}
	strcpy(text, name);
	text[length] = '=';
	strcpy(text + length + 1, value);
	if (entry) {
		free(list);
		*entry = text;
		return 0;
	}
	memcpy(list, environ, count * sizeof(*list));
	list[count] = text;
	list[count + 1] = NULL;
	environ = list;
	return 0;
}
