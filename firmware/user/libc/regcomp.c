/* SPDX-License-Identifier: GPL-2.0-only */
/* Turns the text of a regular expression into nodes. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "regex_node.h"

#define MAX_REPEAT	32767

struct compiler {
	const char *at;
	const char *error;
	bool extended;
	bool icase;
	bool choice;
	int groups;		/* opened so far */
	bool closed[REGEX_GROUPS];	/* for references */
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

static void add(const struct compiler *compiler, struct node *node, int c)
{
	node->set[c / 8] |= 1 << c % 8;
	if (compiler->icase && isalpha(c)) {
		c ^= 'a' ^ 'A';
		node->set[c / 8] |= 1 << c % 8;
	}
}

static struct node *new_set(void)
{
	struct node *node = new_node(NODE_SET);

	node->set = memset(xmalloc(32), 0, 32);
	return node;
}

static void negate(struct node *node)
{
	for (int i = 0; i < 32; i++)
		node->set[i] = ~node->set[i];
}

static bool add_named(const struct compiler *compiler, struct node *node,
		      const char *name, int length)
{
	bool any = false;

	for (int c = 0; c < 256; c++) {
		if (is_class(c, name, length)) {
			add(compiler, node, c);
			any = true;
		}
	}
	return any;
}

/* [:alpha:], at its second character; false if it is not one. */
static bool add_class(struct compiler *compiler, struct node *node)
{
	const char *name = compiler->at + 1;
	const char *end = strchr(name, ':');

	if (*compiler->at != ':' || !end || end[1] != ']')
		return false;
	if (!add_named(compiler, node, name, end - name))
		compiler->error = "Invalid character class name";
	compiler->at = end + 2;
	return true;
}

/* After the [. */
static struct node *bracket(struct compiler *compiler)
{
	struct node *node = new_set();
	bool negated = *compiler->at == '^';
	const char *first;

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
		if (low == '[' && add_class(compiler, node))
			continue;
		if (compiler->at[0] == '-' && compiler->at[1] &&
		    compiler->at[1] != ']') {
			high = compiler->at[1];
			compiler->at += 2;
			if (high < low)
				compiler->error = "Invalid range end";
		}
		for (int c = low; c <= high; c++)
			add(compiler, node, c);
	}
	compiler->at++;
	if (negated)
		negate(node);
	return node;
}

static struct node *choices(struct compiler *compiler, struct node *end);

/* Whether the operator is next: as it is, or in basic ones after a backslash. */
static bool at_operator(const struct compiler *compiler, char operator)
{
	if (compiler->extended)
		return *compiler->at == operator;
	return compiler->at[0] == '\\' && compiler->at[1] == operator;
}

static bool accept(struct compiler *compiler, char operator)
{
	if (!at_operator(compiler, operator))
		return false;
	compiler->at += compiler->extended ? 1 : 2;
	return true;
}

/* After the opening parenthesis. */
static struct node *group(struct compiler *compiler)
{
	struct node *node = new_node(NODE_GROUP);
	struct node *end = new_node(NODE_GROUP_END);

	node->group = ++compiler->groups;
	end->owner = node;
	if (node->group >= REGEX_GROUPS) {
		compiler->error = "too many groups";
		return node;
	}
	node->body = choices(compiler, end);
	if (!accept(compiler, ')') && !compiler->error)
		compiler->error = "Unmatched ( or \\(";
	compiler->closed[node->group] = true;
	return node;
}

static struct node *character(const struct compiler *compiler, unsigned char c)
{
	struct node *node;

	if (compiler->icase && isalpha(c)) {
		node = new_set();
		add(compiler, node, c);
		return node;
	}
	node = new_node(NODE_CHAR);
	node->c = c;
	return node;
}

/* \w and its like: letters, digits and _; or white space. */
static struct node *class_node(const struct compiler *compiler, char c)
{
	struct node *node = new_set();

	if (c == 'w' || c == 'W') {
		add_named(compiler, node, "alnum", 5);
		add(compiler, node, '_');
	} else {
		add_named(compiler, node, "space", 5);
	}
	if (isupper(c))
		negate(node);
	return node;
}

/* After a backslash, of what is no operator of either kind. */
static struct node *escaped(struct compiler *compiler)
{
	unsigned char c = *compiler->at++;
	struct node *node;

	if (c >= '1' && c <= '9') {
		node = new_node(NODE_REFERENCE);
		node->group = c - '0';
		if (!compiler->closed[node->group])
			compiler->error = "Invalid back reference";
		return node;
	}
	switch (c) {
	case '\0':
		compiler->at--;
		compiler->error = "Trailing backslash";
		break;
	case 'n':
		return character(compiler, '\n');
	case 't':
		return character(compiler, '\t');
	case 'w':
	case 'W':
	case 's':
	case 'S':
		return class_node(compiler, c);
	case '<':
		return new_node(NODE_WORD_START);
	case '>':
		return new_node(NODE_WORD_END);
	case 'b':
		return new_node(NODE_EDGE);
	case 'B':
		return new_node(NODE_NO_EDGE);
	}
	return character(compiler, c);
}

/* Where a sequence ends. */
static bool at_end(const struct compiler *compiler)
{
	return !*compiler->at || at_operator(compiler, '|') ||
	       at_operator(compiler, ')');
}

static struct node *atom(struct compiler *compiler, bool first)
{
	unsigned char c;

	if (accept(compiler, '('))
		return group(compiler);
	if (!compiler->extended && accept(compiler, '{')) {
		if (!first) {
			compiler->error = "Invalid preceding regular expression";
			return new_node(NODE_ANY);
		}
		return character(compiler, '{');
	}
	c = *compiler->at++;
	switch (c) {
	case '\\':
		return escaped(compiler);
	case '[':
		return bracket(compiler);
	case '.':
		return new_node(NODE_ANY);
	case '^':
		if (first || compiler->extended)
			return new_node(NODE_START);
		break;
	case '$':
		if (at_end(compiler) || compiler->extended)
			return new_node(NODE_END);
		break;
	}
	return character(compiler, c);
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

/* After the opening brace. */
static void interval(struct compiler *compiler, int *min, int *max)
{
	*min = repeat_count(compiler, 0);
	*max = *min;
	if (*compiler->at == ',') {
		compiler->at++;
		*max = repeat_count(compiler, UNLIMITED);
	}
	if (!accept(compiler, '}'))
		compiler->error = compiler->extended ?
			"Invalid preceding regular expression" : "Unmatched \\{";
	else if (*min > *max || *min > MAX_REPEAT)
		compiler->error = "Invalid content of \\{\\}";
}

/* In extended ones a brace that begins no interval is a character. */
static bool at_interval(const struct compiler *compiler)
{
	return at_operator(compiler, '{') &&
	       (!compiler->extended || isdigit(compiler->at[1]) ||
		compiler->at[1] == ',');
}

static bool one_repetition(struct compiler *compiler, struct node *node)
{
	int min = 0, max = UNLIMITED;

	if (*compiler->at == '*') {
		compiler->at++;
	} else if (accept(compiler, '+')) {
		min = 1;
	} else if (accept(compiler, '?')) {
		max = 1;
	} else if (at_interval(compiler)) {
		accept(compiler, '{');
		interval(compiler, &min, &max);
	} else {
		return false;
	}
	node->min *= min;
	node->max = node->max == 0 || max == 0 ? 0 :
		    node->max > MAX_REPEAT || max > MAX_REPEAT ? UNLIMITED :
		    node->max * max;
	return true;
}

/* After it, what a repetition can stand behind. */
static bool is_anchor(const struct node *node)
{
	return node->kind >= NODE_START && node->kind <= NODE_NO_EDGE;
}

/* Basic ones have no star after another repetition. */
static void repetitions(struct compiler *compiler, struct node *node)
{
	while (!compiler->error && one_repetition(compiler, node))
		if (!compiler->extended && *compiler->at == '*')
			compiler->error = "Invalid preceding regular expression";
}

/* Ends with what follows it: end. */
static struct node *sequence(struct compiler *compiler, struct node *end)
{
	struct node *first = NULL;
	struct node **last = &first;
	bool start = true;	/* where ^ is an anchor and * a character */

	while (!compiler->error && !at_end(compiler)) {
		struct node *node = atom(compiler, start);

		start = node->kind == NODE_START;
		if (!is_anchor(node))
			repetitions(compiler, node);
		*last = node;
		last = &node->next;
	}
	*last = end;
	return first;
}

static struct node *choices(struct compiler *compiler, struct node *end)
{
	struct node *first = sequence(compiler, end);
	struct node *choice;

	if (compiler->error || !accept(compiler, '|'))
		return first;
	compiler->choice = true;
	choice = new_node(NODE_CHOICE);
	choice->body = first;
	choice->other = choices(compiler, end);
	return choice;
}

struct regex *regex_compile(const char *expression, int flags,
			    const char **error)
{
	struct compiler compiler = {
		.at = expression, .extended = flags & REGEX_EXTENDED,
		.icase = flags & REGEX_ICASE
	};
	struct regex *regex = xmalloc(sizeof(*regex));

	regex->first = choices(&compiler, NULL);
	if (!compiler.error && *compiler.at)
		compiler.error = "Unmatched ) or \\)";
	regex->groups = compiler.groups;
	regex->longest = compiler.choice;
	regex->icase = compiler.icase;
	regex->lines = flags & REGEX_LINES;
	*error = compiler.error;
	return compiler.error ? NULL : regex;
}

int regex_group_count(const struct regex *regex)
{
	return regex->groups;
}
