/* SPDX-License-Identifier: GPL-2.0-only */
/* Tokens into trees: ( ), { }, if, while, until, for and case. */
#include "parse.h"

static struct node *parse_subshell(void)
{
	struct node *node = new_node(NODE_SUBSHELL);

	node->children = parse_list(")");
	expect(TOKEN_CLOSE, ")");
	return node;
}

static struct node *parse_group(void)
{
	struct node *node = new_node(NODE_GROUP);

	node->children = parse_list("}");
	expect_keyword("}");
	return node;
}

/* After if or elif, up to but not with fi. */
static struct node *parse_if(void)
{
	struct node *node = new_node(NODE_IF);

	node->branch.condition = parse_list("then");
	expect_keyword("then");
	node->branch.body = parse_list("fi");
	if (accept_keyword("elif"))
		node->branch.otherwise = parse_if();
	else if (accept_keyword("else"))
		node->branch.otherwise = parse_list("fi");
	return node;
}

static struct node *parse_do(void)
{
	struct node *body;

	expect_keyword("do");
	body = parse_list("done");
	expect_keyword("done");
	return body;
}

static struct node *parse_while(enum node_kind kind)
{
	struct node *node = new_node(kind);

	node->branch.condition = parse_list("do");
	node->branch.body = parse_do();
	return node;
}

static struct node *parse_for(void)
{
	struct node *node = new_node(NODE_FOR);
	const char *name = NULL;

	if (peek_token()->kind == TOKEN_WORD)
		name = plain_text(take_token().word);
	if (!name || !is_name(name))
		syntax_error("Bad for loop variable");
	node->loop.variable = (char *)name;
	skip_newlines();
	if (accept_keyword("in")) {
		struct word **word = &node->loop.words;

		while (peek_token()->kind == TOKEN_WORD) {
			*word = take_token().word;
			word = &(*word)->next;
		}
		if (!accept(TOKEN_SEMICOLON) && !accept(TOKEN_NEWLINE))
			unexpected(NULL);
	} else {
		node->loop.over_parameters = true;
		accept(TOKEN_SEMICOLON);
	}
	skip_newlines();
	node->loop.body = parse_do();
	return node;
}

static struct word *parse_patterns(void)
{
	struct word *first;
	struct word **last = &first;

	accept(TOKEN_OPEN);
	do {
		if (peek_token()->kind != TOKEN_WORD)
			unexpected(")");
		*last = take_token().word;
		last = &(*last)->next;
	} while (accept(TOKEN_PIPE));
	expect_close();
	return first;
}

static struct node *parse_case(void)
{
	struct node *node = new_node(NODE_CASE);
	struct case_item **last = &node->choice.items;

	if (peek_token()->kind != TOKEN_WORD)
		unexpected("word");
	node->choice.subject = take_token().word;
	skip_newlines();
	expect_keyword("in");
	skip_newlines();
	while (!accept_keyword("esac")) {
		struct case_item *item;

		item = arena_alloc(&tree_arena, sizeof(*item));
		item->patterns = parse_patterns();
		item->body = NULL;
		item->next = NULL;
		*last = item;
		last = &item->next;
		skip_newlines();
		if (!at_list_end())
			item->body = parse_list(";;");
		if (accept(TOKEN_DOUBLE_SEMICOLON))
			skip_newlines();
		else if (!at_keyword("esac"))
			unexpected(";;");
	}
	return node;
}

struct node *parse_compound(void)
{
	struct node *node;

	if (accept(TOKEN_OPEN))
		return parse_subshell();
	if (accept_keyword("{"))
		return parse_group();
	if (accept_keyword("while"))
		return parse_while(NODE_WHILE);
	if (accept_keyword("until"))
		return parse_while(NODE_UNTIL);
	if (accept_keyword("for"))
		return parse_for();
	if (accept_keyword("case"))
		return parse_case();
	if (!accept_keyword("if"))
		unexpected(NULL);
	node = parse_if();
	expect_keyword("fi");
	return node;
}
