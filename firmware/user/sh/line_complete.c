/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tab: completes the name before the cursor, of a program where a command
 * begins, else of a file. If nothing can be added, the names are listed.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "line.h"
#include "shell.h"

#define SEPARATORS	" \t;|&()<>`=\"'"
#define QUOTED		SEPARATORS "*?[]\\$#~"

static bool is_any_of(char c, const char *set)
{
	return c && strchr(set, c);
}

static size_t word_start(const struct line *line)
{
	size_t at = line->cursor;

	while (at > 0 && (!is_any_of(line->text[at - 1], SEPARATORS) ||
			  (at > 1 && line->text[at - 2] == '\\')))
		at--;
	return at;
}

/* Whether a command's name begins there. */
static bool begins_command(const struct line *line, size_t at)
{
	while (at > 0 && line->text[at - 1] == ' ')
		at--;
	return at == 0 || is_any_of(line->text[at - 1], ";|&(`");
}

/* Names as typed, so with backslashes, that begin with the word. */
static void find_files(const char *directory, size_t length, const char *word,
		       size_t word_length, struct strings *found)
{
	size_t size = length + word_length + 3;
	char *pattern = arena_alloc(&temp_arena, size);

	snprintf(pattern, size, "%.*s%s%.*s*", (int)length, directory,
		 length ? "/" : "", (int)word_length, word);
	glob(pattern, found);
}

static void find_programs(const char *word, size_t length,
			  struct strings *found)
{
	const char *path = var_get("PATH");

	while (path && *path) {
		size_t size = strcspn(path, ":");

		if (size > 0)
			find_files(path, size, word, length, found);
		path += size;
		path += *path == ':';
	}
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static size_t common_length(const struct strings *names)
{
	const char *first = last_part(names->items[0]);
	size_t length = strlen(first);

	for (size_t i = 1; i < names->count; i++) {
		const char *other = last_part(names->items[i]);
		size_t n = 0;

		while (n < length && first[n] == other[n])
			n++;
		length = n;
	}
	return length;
}

/* In columns, like ls. */
static void list(const struct strings *names)
{
	size_t width = 0, columns;

	for (size_t i = 0; i < names->count; i++)
		if (strlen(last_part(names->items[i])) + 2 > width)
			width = strlen(last_part(names->items[i])) + 2;
	columns = draw_columns() / width;
	if (columns == 0)
		columns = 1;
	for (size_t i = 0; i < names->count; i++)
		fprintf(stderr, "%s%-*s", i % columns ? "" : "\n", (int)width,
			last_part(names->items[i]));
	fputs("\n", stderr);
}

/* Puts the name in the place of the last part of what was typed. */
static void replace(struct line *line, const char *name, size_t length,
		    const char *end)
{
	size_t start = word_start(line), at = line->cursor;

	while (at > start && line->text[at - 1] != '/')
		at--;
	line_delete(line, at, line->cursor);
	for (size_t i = 0; i < length; i++) {
		if (is_any_of(name[i], QUOTED))
			line_insert(line, "\\", 1);
		line_insert(line, name + i, 1);
	}
	line_insert(line, end, strlen(end));
}

static const char *ending_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? "/" : " ";
}

void line_complete(struct line *line)
{
	size_t mark = arena_mark(&temp_arena), start = word_start(line);
	size_t length = line->cursor - start, before = line->length, common;
	struct strings found = { .count = 0 };
	const char *word = line->text + start;

	if (begins_command(line, start) && !memchr(word, '/', length))
		find_programs(word, length, &found);
	else
		find_files("", 0, word, length, &found);
	if (found.count == 0) {
		draw_bell();
	} else {
		common = common_length(&found);
		replace(line, last_part(found.items[0]), common,
			found.count > 1 ? "" : ending_of(found.items[0]));
		if (line->length > before) {
			draw(line);
		} else {
			draw_end(line);
			list(&found);
			draw_again(line);
		}
	}
	arena_release(&temp_arena, mark);
}
