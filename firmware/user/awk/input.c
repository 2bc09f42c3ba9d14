/* SPDX-License-Identifier: GPL-2.0-only */
/* Records: of the files that ARGV names, and of any stream. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "awk.h"

static FILE *current;
static int argument;
static bool any_file;

struct line {
	char *bytes;
	size_t length, room;
};

static void append(struct line *line, char c)
{
	if (line->length == line->room) {
		line->room = line->room ? 2 * line->room : 256;
		line->bytes = xrealloc(line->bytes, line->room);
	}
	line->bytes[line->length++] = c;
}

/* Until an empty line; those before the first do not count. */
static int read_paragraph(FILE *from, struct line *line)
{
	int c, newlines = 0;

	do
		c = getc(from);
	while (c == '\n');
	for (; c != EOF; c = getc(from)) {
		newlines = c == '\n' ? newlines + 1 : 0;
		append(line, c);
		if (newlines == 2)
			break;
	}
	while (line->length > 0 && line->bytes[line->length - 1] == '\n')
		line->length--;
	return line->length > 0 || newlines > 0;
}

/* Until a regular expression matches, and one character more would not belong to it. */
static int read_to_regex(FILE *from, struct line *line, struct regex *regex)
{
	struct match matches[REGEX_GROUPS];
	bool found = false;
	int c;

	while ((c = getc(from)) != EOF) {
		append(line, c);
		found = regex_search(regex, line->bytes, line->length, 0, matches) &&
			matches[0].end > matches[0].start;
		if (found && matches[0].end < line->length) {
			ungetc(c, from);
			break;
		}
	}
	if (found)
		line->length = matches[0].start;
	return found || line->length > 0;
}

static int read_to_char(FILE *from, struct line *line, int separator)
{
	int c;

	while ((c = getc(from)) != EOF && c != separator)
		append(line, c);
	return c == separator || line->length > 0;
}

int read_record(FILE *from, char **bytes, size_t *length)
{
	static struct line line;
	const char *separator = special_text(V_RS);
	int result;

	line.length = 0;
	if (!*separator)
		result = read_paragraph(from, &line);
	else if (!separator[1])
		result = read_to_char(from, &line, (unsigned char)*separator);
	else
		result = read_to_regex(from, &line,
				       dynamic_regex(separator, strlen(separator)));
	append(&line, '\0');
	*bytes = line.bytes;
	*length = line.length - 1;
	return !result && ferror(from) ? -1 : result;
}

/* The next operand that is a file; false: there is no more. */
static bool open_next(void)
{
	struct array *argv = cell_array(global(V_ARGV));

	while (++argument < to_number(&global(V_ARGC)->value)) {
		char number[16];
		struct text *key, *name = NULL;

		snprintf(number, sizeof(number), "%d", argument);
		key = text_new(number, strlen(number));
		if (array_has(argv, key))
			name = as_text(array_at(argv, key));
		text_put(key);
		if (!name || !name->length || assign_argument(name->bytes)) {
			text_put(name);
			continue;
		}
		any_file = true;
		current = strcmp(name->bytes, "-") ? fopen(name->bytes, "r") : stdin;
		if (!current) {
			fprintf(stderr, "awk: cannot open %s: %s\n", name->bytes,
				strerror(errno));
			exit_status = 2;
			text_put(name);
			continue;
		}
		value_set(&global(V_FILENAME)->value, value_text(name));
		set_special(V_FNR, 0);
		return true;
	}
	if (any_file)
		return false;
	any_file = true;
	current = stdin;
	return true;
}

void skip_file(void)
{
	if (current && current != stdin)
		fclose(current);
	current = NULL;
}

bool next_record(char **bytes, size_t *length)
{
	for (;;) {
		if (!current && !open_next())
			return false;
		if (read_record(current, bytes, length) > 0)
			break;
		skip_file();
	}
	set_special(V_NR, to_number(&global(V_NR)->value) + 1);
	set_special(V_FNR, to_number(&global(V_FNR)->value) + 1);
	return true;
}
