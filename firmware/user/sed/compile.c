/* SPDX-License-Identifier: GPL-2.0-only */
/* Turns the text of a basic regular expression into nodes. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "node.h"

#define MAX_REPEAT	32767

struct compiler {
	const char *at;
	const char *error;
	int groups;		/* opened so far */
	int closed;		/* of which closed, for references */
	int depth;
};

static struct node *new_node(enum node_kind kind)
{
	struct node *node = xmalloc(sizeof(*node));

	memset(node, 0, sizeof(*node));
	node->kind = kind;
	node->min = 1;
	node->max = 1;
	return node;
}

static void add(unsigned char *set, unsigned char c)
{
	set[c / 8] |= 1 << c % 8;
}

/* [:alpha:], at its second character; false if it is not one. */
static bool add_class(struct compiler *compiler, unsigned char *set)
{
	const char *name = compiler->at + 1;
	const char *end = strchr(name, ':');

	bool any = false;

	if (*compiler->at != ':' || !end || end[1] != ']')
		return false;
	for (int c = 0; c < 256; c++) {
		if (is_class(c, name, end - name)) {
			add(set, c);
			any = true;
		}
	}
	if (!any)
		compiler->error = "Invalid character class name";
	compiler->at = end + 2;
	return true;
}

/* After the [. */
static struct node *bracket(struct compiler *compiler)
{
	struct node *node = new_node(NODE_SET);
	bool negated = *compiler->at == '^';
	const char *first;

	node->set = memset(xmalloc(32), 0, 32);
	compiler->at += negated;
	first = compiler->at;
	while (*compiler->at != ']' || compiler->at == first) {
		unsigned char low = *compiler->at;
		unsigned char high = low;

		if (!low) {
			compiler->error = "Unmatched [, [^, [:, [., or [=";
			return node;
		}
		compiler->at++;
		if (low == '[' && add_class(compiler, node->set))
			continue;
		if (compiler->at[0] == '-' && compiler->at[1] &&
		    compiler->at[1] != ']') {
			high = compiler->at[1];
			compiler->at += 2;
			if (high < low)
				compiler->error = "Invalid range end";
		}
		for (int c = low; c <= high; c++)
			add(node->set, c);
	}
	compiler->at++;
	for (int i = 0; negated && i < 32; i++)
		node->set[i] = ~node->set[i];
	return node;
}

static struct node *sequence(struct compiler *compiler);

/* After the \(. */
static struct node *group(struct compiler *compiler)
{
	struct node *node = new_node(NODE_GROUP);
	struct node *end = new_node(NODE_GROUP_END);
	struct node **last = &node->body;

	node->group = ++compiler->groups;
	end->owner = node;
	if (node->group >= REGEX_GROUPS) {
		compiler->error = "too many groups";
		return node;
	}
	compiler->depth++;
	node->body = sequence(compiler);
	compiler->depth--;
	while (*last)
		last = &(*last)->next;
	*last = end;
	if (strncmp(compiler->at, "\\)", 2))
		compiler->error = "Unmatched ( or \\(";
	else
		compiler->at += 2;
	compiler->closed = node->group;
	return node;
}

/* After a backslash. */
static struct node *escaped(struct compiler *compiler)
{
	unsigned char c = *compiler->at++;
	struct node *node;

	if (c == '(')
		return group(compiler);
	if (c >= '1' && c <= '9') {
		node = new_node(NODE_REFERENCE);
		node->group = c - '0';
		if (node->group > compiler->closed)
			compiler->error = "Invalid back reference";
		return node;
	}
	node = new_node(NODE_CHAR);
	node->c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
	if (!c) {
		compiler->at--;
		compiler->error = "Trailing backslash";
	} else if (c == ')') {
		compiler->error = "Unmatched ) or \\)";
	} else if (c == '{') {
		compiler->error = "Invalid preceding regular expression";
	}
	return node;
}

static bool at_end(const struct compiler *compiler)
{
	return !*compiler->at ||
	       (compiler->depth && !strncmp(compiler->at, "\\)", 2));
}

static struct node *atom(struct compiler *compiler, bool first)
{
	unsigned char c = *compiler->at++;
	struct node *node;

	switch (c) {
	case '\\':
		return escaped(compiler);
	case '[':
		return bracket(compiler);
	case '.':
		return new_node(NODE_ANY);
	case '^':
		if (first)
			return new_node(NODE_START);
		break;
	case '$':
		if (at_end(compiler))
			return new_node(NODE_END);
		break;
	}
	node = new_node(NODE_CHAR);
	node->c = c;
	return node;
}

static int repeat_count(struct compiler *compiler, int missing)
{
	int count = 0;

	if (!isdigit(*compiler->at))
		return missing;
	for (; isdigit(*compiler->at); compiler->at++)
		if (count <= MAX_REPEAT)
			count = count * 10 + (*compiler->at - '0');
	return count;
}

/* After the \{. */
static void interval(struct compiler *compiler, struct node *node)
{
	node->min = repeat_count(compiler, 0);
	node->max = node->min;
	if (*compiler->at == ',') {
		compiler->at++;
		node->max = repeat_count(compiler, UNLIMITED);
	}
	if (strncmp(compiler->at, "\\}", 2))
		compiler->error = "Unmatched \\{";
	else if (node->min > node->max || node->min > MAX_REPEAT)
		compiler->error = "Invalid content of \\{\\}";
	else
		compiler->at += 2;
}

static void repetition(struct compiler *compiler, struct node *node)
{
	if (*compiler->at == '*') {
		compiler->at++;
		node->min = 0;
		node->max = UNLIMITED;
	} else if (!strncmp(compiler->at, "\\+", 2)) {
		compiler->at += 2;
		node->max = UNLIMITED;
	} else if (!strncmp(compiler->at, "\\?", 2)) {
		compiler->at += 2;
		node->min = 0;
	} else if (!strncmp(compiler->at, "\\{", 2)) {
		compiler->at += 2;
		interval(compiler, node);
	} else {
		return;
	}
	if (*compiler->at == '*')
		compiler->error = "Invalid preceding regular expression";
}

static struct node *sequence(struct compiler *compiler)
{
	struct node *first = NULL;
	struct node **last = &first;
	bool start = true;	/* where ^ is an anchor and * a character */

	while (!compiler->error && !at_end(compiler)) {
		struct node *node = atom(compiler, start);

		start = node->kind == NODE_START;
		if (!start && node->kind != NODE_END && !compiler->error)
			repetition(compiler, node);
		*last = node;
		last = &node->next;
	}
	return first;
}

struct regex *regex_compile(const char *expression, const char **error)
{
	struct compiler compiler = { .at = expression };
	struct regex *regex = xmalloc(sizeof(*regex));

	regex->first = sequence(&compiler);
	regex->groups = compiler.groups;
	*error = compiler.error;
	return compiler.error ? NULL : regex;
}

int regex_group_count(const struct regex *regex)
{
	return regex->groups;
}
