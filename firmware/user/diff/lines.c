/* SPDX-License-Identifier: GPL-2.0-only */
/* Files as lines, and what of them is compared. */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"

static bool read_all(struct file *file, FILE *f)
{
	size_t room = BUFSIZ, got;

	file->data = xmalloc(room);
	while ((got = fread(file->data + file->size, 1, room - file->size,
			    f)) > 0) {
		file->size += got;
		if (file->size == room)
			file->data = xrealloc(file->data, room *= 2);
	}
	return !ferror(f);
}

/* A copy of the line as it counts. */
static void make_key(struct line *line)
{
	char *key = xmalloc(line->length + 1), *to = key;

	for (size_t i = 0; i < line->length; i++) {
		char c = line->text[i];

		if (isspace(c) && options.no_space)
			continue;
		if (isspace(c) && options.one_space) {
			while (i + 1 < line->length && isspace(line->text[i + 1]))
				i++;
			/* At the end of the line it counts for nothing. */
			if (i + 1 == line->length)
				break;
			c = ' ';
		}
		*to++ = options.fold ? tolower(c) : c;
	}
	line->key = key;
	line->key_length = to - key;
}

static bool has_keys(void)
{
	return options.fold || options.no_space || options.one_space;
}

static void split(struct file *file)
{
	const char *at = file->data, *end = file->data + file->size;
	long room = 0;

	while (at < end) {
		const char *newline = memchr(at, '\n', end - at);
		struct line *line;

		if (file->count == room) {
			room = room ? 2 * room : 64;
			file->lines = xrealloc(file->lines,
					       room * sizeof(*line));
		}
		line = &file->lines[file->count++];
		line->text = line->key = at;
		line->length = (newline ? newline + 1 : end) - at;
		line->key_length = line->length;
		line->changed = false;
		if (has_keys())
			make_key(line);
		at += line->length;
	}
}

bool read_file(struct file *file, const char *name)
{
	FILE *f = strcmp(name, "-") ? fopen(name, "r") : stdin;
	bool done;

	memset(file, 0, sizeof(*file));
	file->name = name;
	if (!f && errno == ENOENT && options.absent)
		return true;
	done = f && read_all(file, f);
	if (!done)
		warn("%s", name);
	if (f && f != stdin)
		fclose(f);
	if (done)
		split(file);
	return done;
}

void free_file(struct file *file)
{
	for (long i = 0; has_keys() && i < file->count; i++)
		free((char *)file->lines[i].key);
	free(file->lines);
	free(file->data);
}

/* As GNU's: there is a NUL near the start. */
bool is_binary(const struct file *file)
{
	size_t first = file->size < BUFSIZ ? file->size : BUFSIZ;

	return first && !options.text && memchr(file->data, '\0', first);
}
