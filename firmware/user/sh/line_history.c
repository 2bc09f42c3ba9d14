/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines typed before, as many as there is room for. */
#include <stdlib.h>
#include <string.h>

#include "line.h"
#include "shell.h"

#define KEPT	500

static char *lines[KEPT];
static size_t added;			/* ever */

const char *history_get(size_t back)
{
	if (back == 0 || back > added || back > KEPT)
		return NULL;
	return lines[(added - back) % KEPT];
}

/* Empty ones and those that only repeat the last are not worth a place. */
void history_add(const char *text, size_t length)
{
	const char *last = history_get(1);
	char **place = &lines[added % KEPT];

	if (strspn(text, " \t\n") >= length)
		return;
	if (last && strlen(last) == length && !memcmp(last, text, length))
		return;
	free(*place);
	*place = xmalloc(length + 1);
	memcpy(*place, text, length);
	(*place)[length] = '\0';
	added++;
}

size_t history_search(size_t back, const char *text)
{
	const char *line;

	for (; (line = history_get(back)); back++)
		if (strstr(line, text))
			return back;
	return 0;
}
