/* SPDX-License-Identifier: GPL-2.0-only */
/* read: a line of input into variables. */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "shell.h"

/* The line: its characters, and whether each had a backslash before it. */
struct line {
	char *text;
	bool *escaped;
	size_t length;
	size_t room;
};

static void add(struct line *line, char c, bool escaped)
{
	if (line->length + 1 >= line->room) {
		line->room = line->room ? 2 * line->room : 128;
		line->text = arena_grow(&temp_arena, line->text, line->length,
					line->room);
		line->escaped = arena_grow(&temp_arena, line->escaped,
					   line->length, line->room);
	}
	line->text[line->length] = c;
	line->escaped[line->length++] = escaped;
}

/* Byte for byte, to leave what follows to others. 1 at the end of input. */
static int read_line(struct line *line, bool raw)
{
	bool escaped = false;
	char c;

	for (;;) {
		ssize_t got;

		if (trap_pending())
			return 128 + trap_pending();
		got = read(STDIN_FILENO, &c, 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return 1;
		if (c == '\0')
			continue;
		if (escaped) {
			escaped = false;
			if (c != '\n')
				add(line, c, true);
		} else if (c == '\\' && !raw) {
			escaped = true;
		} else if (c == '\n') {
			return 0;
		} else {
			add(line, c, false);
		}
	}
}

static bool separates(const struct line *line, size_t at, const char *ifs)
{
	return at < line->length && !line->escaped[at] &&
	       line->text[at] && strchr(ifs, line->text[at]);
}

static bool is_blank(const struct line *line, size_t at, const char *ifs)
{
	return separates(line, at, ifs) && isspace(line->text[at]);
}

/* After a field: blanks, one other separator and blanks again. */
static size_t skip_separator(const struct line *line, size_t at,
			     const char *ifs)
{
	while (is_blank(line, at, ifs))
		at++;
	if (separates(line, at, ifs) && !isspace(line->text[at]))
		at++;
	while (is_blank(line, at, ifs))
		at++;
	return at;
}

static size_t field_end(const struct line *line, size_t at, const char *ifs)
{
	while (at < line->length && !separates(line, at, ifs))
		at++;
	return at;
}

/* The last variable's: all, but for what only ends a single field. */
static size_t rest_end(const struct line *line, size_t at, const char *ifs)
{
	size_t end = line->length;
	size_t first = field_end(line, at, ifs);

	if (skip_separator(line, first, ifs) == line->length)
		return first;
	while (end > at && is_blank(line, end - 1, ifs))
		end--;
	return end;
}

static void assign(const struct line *line, char **names, const char *ifs)
{
	size_t at = 0;

	while (is_blank(line, at, ifs))
		at++;
	for (; *names; names++) {
		size_t end = names[1] ? field_end(line, at, ifs) :
					rest_end(line, at, ifs);

		var_set(*names, arena_copy(&temp_arena, line->text + at,
					   end - at));
		at = skip_separator(line, end, ifs);
	}
}

int run_read(int argc, char **argv)
{
	struct line line = { .text = "" };
	const char *ifs = var_get("IFS"), *prompt = NULL;
	bool raw = false;
	int status, i = 1;

	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		const char *option = argv[i] + 1;

		if (!strcmp(option, "-")) {
			i++;
			break;
		}
		for (; *option == 'r'; option++)
			raw = true;
		if (*option == 'p') {
			prompt = option[1] ? option + 1 : argv[++i];
			if (!prompt)
				fail("No arg for -p option");
		} else if (*option) {
			fail("Illegal option -%c", *option);
		}
	}
	if (i >= argc)
		fail("arg count");
	for (int name = i; name < argc; name++)
		if (!is_name(argv[name]))
			fail("%s: bad variable name", argv[name]);
	if (prompt && isatty(STDIN_FILENO))
		fputs(prompt, stderr);
	status = read_line(&line, raw);
	if (interrupted())
		return status;
	assign(&line, argv + i, ifs ? ifs : " \t\n");
	return status;
}
