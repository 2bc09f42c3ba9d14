/* SPDX-License-Identifier: GPL-2.0-only */
/* A command as text again, for the list of jobs: trees keep no source. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell.h"

struct text {
	char *start;
	size_t length, room;
};

static void put_bytes(struct text *text, const char *bytes, size_t length)
{
	if (text->length + length >= text->room) {
		text->room = 2 * (text->length + length) + 64;
		text->start = xrealloc(text->start, text->room);
	}
	memcpy(text->start + text->length, bytes, length);
	text->length += length;
	text->start[text->length] = '\0';
}

static void put(struct text *text, const char *string)
{
	put_bytes(text, string, strlen(string));
}

static void put_node(struct text *text, const struct node *node);
static void put_word(struct text *text, const struct word *word);

static void put_parameter(struct text *text, const struct part *part)
{
	static const char *const modifiers[] = {
		[MODIFIER_DEFAULT] = "-", [MODIFIER_ASSIGN] = "=",
		[MODIFIER_ERROR] = "?", [MODIFIER_ALTERNATIVE] = "+",
		[MODIFIER_PREFIX] = "#", [MODIFIER_LONG_PREFIX] = "##",
		[MODIFIER_SUFFIX] = "%", [MODIFIER_LONG_SUFFIX] = "%%",
		[MODIFIER_BAD] = "?",
	};

	put(text, part->modifier == MODIFIER_LENGTH ? "${#" : "${");
	put(text, part->text);
	if (part->empty_is_unset)
		put(text, ":");
	if (modifiers[part->modifier])
		put(text, modifiers[part->modifier]);
	if (part->argument && modifiers[part->modifier])
		put_word(text, part->argument);
	put(text, "}");
}

static void put_part(struct text *text, const struct part *part)
{
	switch (part->kind) {
	case PART_TEXT:
		put_bytes(text, part->text, part->length);
		break;
	case PART_PARAMETER:
		put_parameter(text, part);
		break;
	case PART_COMMAND:
		put(text, "$(");
		if (part->command)
			put_node(text, part->command);
		put(text, ")");
		break;
	case PART_ARITHMETIC:
		put(text, "$((");
		if (part->argument)
			put_word(text, part->argument);
		put(text, "))");
		break;
	case PART_TILDE:
		put(text, "~");
		break;
	}
}

/* All that is quoted is in double quotes. */
static void put_word(struct text *text, const struct word *word)
{
	bool quoted = false;

	for (const struct part *part = word->parts; part; part = part->next) {
		if (part->quoted != quoted)
			put(text, "\"");
		quoted = part->quoted;
		put_part(text, part);
	}
	if (quoted)
		put(text, "\"");
}

static void put_words(struct text *text, const struct word *word,
		      const char *between)
{
	for (; word; word = word->next) {
		put_word(text, word);
		if (word->next)
			put(text, between);
	}
}

static void put_redirects(struct text *text, const struct redirect *redirect)
{
	static const struct {
		const char *operator;
		int fd;		/* the one that need not be written */
	} kinds[] = {
		[REDIRECT_INPUT] = { "<", 0 },
		[REDIRECT_OUTPUT] = { ">", 1 },
		[REDIRECT_CLOBBER] = { ">|", 1 },
		[REDIRECT_APPEND] = { ">>", 1 },
		[REDIRECT_BOTH] = { "<>", 0 },
		[REDIRECT_DUP_INPUT] = { "<&", 0 },
		[REDIRECT_DUP_OUTPUT] = { ">&", 1 },
		[REDIRECT_HERE] = { "<<...", 0 },
		[REDIRECT_HERE_TABS] = { "<<...", 0 },
	};
	char number[16];

	for (; redirect; redirect = redirect->next) {
		put(text, " ");
		if (redirect->fd != kinds[redirect->kind].fd) {
			snprintf(number, sizeof(number), "%d", redirect->fd);
			put(text, number);
		}
		put(text, kinds[redirect->kind].operator);
		if (redirect->kind != REDIRECT_HERE &&
		    redirect->kind != REDIRECT_HERE_TABS)
			put_word(text, redirect->target);
	}
}

static void put_list(struct text *text, const struct node *node,
		     const char *between)
{
	for (; node; node = node->next) {
		put_node(text, node);
		if (node->next)
			put(text, between);
	}
}

/* A list between two words. */
static void put_between(struct text *text, const char *before,
			const struct node *node, const char *after)
{
	put(text, before);
	put_node(text, node);
	put(text, after);
}

static void put_if(struct text *text, const struct node *node)
{
	put_between(text, "if ", node->branch.condition, "; ");
	put_between(text, "then ", node->branch.body, "; ");
	if (node->branch.otherwise)
		put_between(text, "else ", node->branch.otherwise, "; ");
	put(text, "fi");
}

static void put_for(struct text *text, const struct node *node)
{
	put(text, "for ");
	put(text, node->loop.variable);
	if (!node->loop.over_parameters) {
		put(text, " in ");
		put_words(text, node->loop.words, " ");
	}
	put_between(text, "; do ", node->loop.body, "; done");
}

static void put_case(struct text *text, const struct node *node)
{
	put(text, "case ");
	put_word(text, node->choice.subject);
	put(text, " in ");
	for (const struct case_item *item = node->choice.items; item;
	     item = item->next) {
		put_words(text, item->patterns, "|");
		put(text, ") ");
		if (item->body)
			put_node(text, item->body);
		put(text, ";; ");
	}
	put(text, "esac");
}

static void put_node(struct text *text, const struct node *node)
{
	switch (node->kind) {
	case NODE_SIMPLE:
		put_words(text, node->simple.words, " ");
		break;
	case NODE_PIPELINE:
		put_list(text, node->children, " | ");
		break;
	case NODE_NOT:
		put_between(text, "! ", node->children, "");
		break;
	case NODE_AND:
		put_list(text, node->children, " && ");
		break;
	case NODE_OR:
		put_list(text, node->children, " || ");
		break;
	case NODE_SEQUENCE:
		put_list(text, node->children, "; ");
		break;
	case NODE_BACKGROUND:
		put_between(text, "", node->children, " &");
		break;
	case NODE_SUBSHELL:
		put_between(text, "(", node->children, ")");
		break;
	case NODE_GROUP:
		put_between(text, "{ ", node->children, "; }");
		break;
	case NODE_IF:
		put_if(text, node);
		break;
	case NODE_WHILE:
	case NODE_UNTIL:
		put_between(text, node->kind == NODE_WHILE ? "while " : "until ",
			    node->branch.condition, "; ");
		put_between(text, "do ", node->branch.body, "; done");
		break;
	case NODE_FOR:
		put_for(text, node);
		break;
	case NODE_CASE:
		put_case(text, node);
		break;
	case NODE_FUNCTION:
		put(text, node->function.name);
		put(text, "() { ... }");
		break;
	}
	put_redirects(text, node->redirects);
}

char *node_text(const struct node *node)
{
	struct text text = { NULL, 0, 0 };

	put(&text, "");
	put_node(&text, node);
	return text.start;
}
