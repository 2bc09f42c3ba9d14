/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the commands of a sed script. */
#include <ctype.h>
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "sed.h"

static struct command *first, **last = &first;

/* Blocks that are still open, the innermost first. */
struct block {
	struct command *command;
	struct script where;
	struct block *outer;
};

static struct block *blocks;

/* Text that the next script begins with; NULL: none. */
static struct text *pending;

/* After these something else can follow in the line. */
static void read_end(struct script *script)
{
	skip_blanks(script);
	if (*script->at && !strchr(";}\n#", *script->at))
		unexpected(script, "extra characters after command");
}

static void open_block(struct command *command, const struct script *script)
{
	struct block *block = xmalloc(sizeof(*block));

	block->command = command;
	block->where = *script;
	block->outer = blocks;
	blocks = block;
}

static void close_block(struct command *command, struct script *script)
{
	struct block *block = blocks;

	if (!block)
		invalid(script, "unexpected `}'");
	if (command->range.from.kind != ADDRESS_NONE)
		invalid(script, "`}' doesn't want any addresses");
	block->command->target = command;
	blocks = block->outer;
	free(block);
	read_end(script);
}

static void keep_name(struct text *into, char *name)
{
	if (name)
		text_append(into, name, strlen(name));
	free(name);
}

static void only_one_address(const struct script *script,
			     const struct command *command)
{
	if (command->range.to.kind != ADDRESS_NONE)
		invalid(script, "command only uses one address");
}

static void read_number(struct script *script, struct command *command)
{
	skip_blanks(script);
	if (isdigit(*script->at))
		command->number = read_count(script);
	read_end(script);
}

static void read_operands(struct script *script, struct command *command)
{
	switch (command->name) {
	case '{':
		open_block(command, script);
		break;
	case '}':
		close_block(command, script);
		break;
	case ':':
		if (command->range.from.kind != ADDRESS_NONE)
			invalid(script, ": doesn't want any addresses");
		keep_name(&command->text, read_label(script));
		if (!command->text.length)
			invalid(script, "\":\" lacks a label");
		break;
	case 'b':
	case 't':
	case 'T':
		keep_name(&command->text, read_label(script));
		read_end(script);
		break;
	case 'a':
	case 'i':
	case 'c':
		if (!read_text(script, &command->text))
			pending = &command->text;
		break;
	case 'r':
		keep_name(&command->text, read_file_name(script));
		break;
	case 'w':
	case 'W':
		command->output = open_output(read_file_name(script));
		break;
	case 's':
		command->substitution = read_substitution(script);
		break;
	case 'y':
		command->map = read_map(script);
		read_end(script);
		break;
	case 'q':
	case 'Q':
		only_one_address(script, command);
		command->number = 0;
		read_number(script, command);
		break;
	case 'l':
		command->number = -1;
		read_number(script, command);
		break;
	case '=': case 'd': case 'D': case 'F': case 'g': case 'G': case 'h':
	case 'H': case 'n': case 'N': case 'p': case 'P': case 'x': case 'z':
		read_end(script);
		break;
	default:
		invalid(script, "unknown command: `%c'", command->name);
	}
}

static void read_command(struct script *script)
{
	struct command *command = calloc(1, sizeof(*command));

	read_range(script, &command->range);
	if (*script->at == '#' && command->range.from.kind != ADDRESS_NONE)
		unexpected(script, "comments don't accept any addresses");
	command->name = *script->at;
	if (!command->name)
		invalid(script, "missing command");
	script->at++;
	*last = command;
	last = &command->next;
	read_operands(script, command);
}

void add_script(const char *text, int number, const char *file)
{
	struct script script = { text, text, file, number };

	if (!first && !strncmp(text, "#n", 2) && (!text[2] || text[2] == '\n'))
		options.quiet = true;
	if (pending) {
		read_text_line(&script, pending);
		pending = NULL;
	}
	for (;;) {
		while (isspace(*script.at) || *script.at == ';')
			script.at++;
		if (*script.at == '#')
			script.at += strcspn(script.at, "\n");
		else if (*script.at)
			read_command(&script);
		else
			return;
	}
}

static struct command *find_label(const char *label)
{
	for (struct command *c = first; c; c = c->next)
		if (c->name == ':' && !strcmp(c->text.bytes, label))
			return c;
	errx(STATUS_FAILED, "can't find label for jump to `%s'", label);
}

struct command *finish_script(void)
{
	if (blocks) {
		/* In an argument, that is said of no character. */
		if (!blocks->where.file)
			blocks->where.at = blocks->where.text;
		invalid(&blocks->where, "unmatched `{'");
	}
	for (struct command *c = first; c; c = c->next)
		if (strchr("btT", c->name) && c->text.length)
			c->target = find_label(c->text.bytes);
	return first;
}
