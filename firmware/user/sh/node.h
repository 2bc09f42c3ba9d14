/* SPDX-License-Identifier: GPL-2.0-only */
/* The syntax tree: what the parser makes and the rest of the shell walks. */
#ifndef SH_NODE_H
#define SH_NODE_H

#include <stdbool.h>
#include <stddef.h>

struct node;
struct word;

enum part_kind {
	PART_TEXT,
	PART_PARAMETER,		/* $name, ${name...} */
	PART_COMMAND,		/* $(...), `...` */
	PART_ARITHMETIC,	/* $((...)) */
	PART_TILDE,		/* ~ where a home can be meant */
};

/* What ${name...} does to the value. */
enum modifier {
	MODIFIER_NONE,
	MODIFIER_LENGTH,	/* ${#name} */
	MODIFIER_DEFAULT,	/* ${name-word} */
	MODIFIER_ASSIGN,	/* ${name=word} */
	MODIFIER_ERROR,		/* ${name?word} */
	MODIFIER_ALTERNATIVE,	/* ${name+word} */
	MODIFIER_PREFIX,	/* ${name#word} */
	MODIFIER_LONG_PREFIX,	/* ${name##word} */
	MODIFIER_SUFFIX,	/* ${name%word} */
	MODIFIER_LONG_SUFFIX,	/* ${name%%word} */
	MODIFIER_BAD,		/* anything else; an error when expanded */
};

/* A word is made of parts, each wholly quoted or wholly not. */
struct part {
	enum part_kind kind;
	bool quoted;
	char *text;		/* the text, or the parameter's name */
	size_t length;		/* of a PART_TEXT */
	enum modifier modifier;
	bool empty_is_unset;	/* ${name:-word} instead of ${name-word} */
	struct word *argument;	/* of the modifier; the expression */
	struct node *command;
	struct part *next;
};

struct word {
	struct part *parts;
	struct word *next;
};

enum redirect_kind {
	REDIRECT_INPUT,		/* < */
	REDIRECT_OUTPUT,	/* > */
	REDIRECT_CLOBBER,	/* >| */
	REDIRECT_APPEND,	/* >> */
	REDIRECT_BOTH,		/* <> */
	REDIRECT_DUP_INPUT,	/* <& */
	REDIRECT_DUP_OUTPUT,	/* >& */
	REDIRECT_HERE,		/* << */
	REDIRECT_HERE_TABS,	/* <<- */
};

struct redirect {
	enum redirect_kind kind;
	int fd;
	struct word *target;		/* of <<: all of the text */
	struct redirect *next;
};

struct assignment {
	char *name;
	struct word *value;
	struct assignment *next;
};

enum node_kind {
	NODE_SIMPLE,
	NODE_PIPELINE,		/* of children */
	NODE_NOT,
	NODE_AND,
	NODE_OR,
	NODE_SEQUENCE,		/* of children */
	NODE_BACKGROUND,
	NODE_SUBSHELL,
	NODE_GROUP,
	NODE_IF,
	NODE_WHILE,
	NODE_UNTIL,
	NODE_FOR,
	NODE_CASE,
	NODE_FUNCTION,
};

struct case_item {
	struct word *patterns;
	struct node *body;	/* NULL: nothing to do */
	struct case_item *next;
};

struct node {
	enum node_kind kind;
	int line;
	struct redirect *redirects;	/* of simple and compound commands */
	struct node *next;		/* in the parent's children */
	union {
		struct {
			struct assignment *assignments;
			struct word *words;
		} simple;
		/*
		 * The parts of a pipeline or sequence, the operands of && and
		 * ||, the body of a group: whatever is only a list.
		 */
		struct node *children;
		struct {
			struct node *condition;
			struct node *body;
			struct node *otherwise;	/* NODE_IF: or NULL */
		} branch;
		struct {
			char *variable;
			bool over_parameters;	/* for name; do */
			struct word *words;
			struct node *body;
		} loop;
		struct {
			struct word *subject;
			struct case_item *items;
		} choice;
		struct {
			char *name;
			struct node *body;
		} function;
	};
};

#endif
