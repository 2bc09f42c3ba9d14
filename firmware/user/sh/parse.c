/* SPDX-License-Identifier: GPL-2.0-only */
/* Tokens into trees: lists, pipelines and simple commands. */
#include <string.h>

#include "parse.h"

struct node *new_node(enum node_kind kind)
{
	struct node *node = arena_alloc(&tree_arena, sizeof(*node));

	memset(node, 0, sizeof(*node));
	node->kind = kind;
	node->line = input->line;
	return node;
}

static const char *find_keyword(const char *text)
{
	static const char *const keywords[] = {
		"!", "{", "}", "case", "do", "done", "elif", "else", "esac",
		"fi", "for", "if", "in", "then", "until", "while", NULL
	};

	for (const char *const *keyword = keywords; *keyword; keyword++)
		if (!strcmp(*keyword, text))
			return *keyword;
	return NULL;
}

bool is_keyword(const char *text)
{
	return find_keyword(text);
}

const char *peek_keyword(void)
{
	const struct token *token = peek_token();
	const char *text = token->kind == TOKEN_WORD ?
			   plain_text(token->word) : NULL;

	return text ? find_keyword(text) : NULL;
}

void unexpected(const char *expected)
{
	static const char *const names[] = {
		[TOKEN_END] = "end of file",
		[TOKEN_NEWLINE] = "newline",
		[TOKEN_WORD] = "word",
		[TOKEN_REDIRECT] = "redirection",
		[TOKEN_SEMICOLON] = "\";\"",
		[TOKEN_DOUBLE_SEMICOLON] = "\";;\"",
		[TOKEN_AMPERSAND] = "\"&\"",
		[TOKEN_AND] = "\"&&\"",
		[TOKEN_PIPE] = "\"|\"",
		[TOKEN_OR] = "\"||\"",
		[TOKEN_OPEN] = "\"(\"",
		[TOKEN_CLOSE] = "\")\"",
	};
	const char *keyword = peek_keyword();
	char found[32];

	snprintf(found, sizeof(found), keyword ? "\"%s\"" : "%s",
		 keyword ? keyword : names[peek_token()->kind]);
	if (!expected)
		syntax_error("%s unexpected", found);
	if (!strcmp(expected, "word"))
		syntax_error("%s unexpected (expecting word)", found);
	syntax_error("%s unexpected (expecting \"%s\")", found, expected);
}

bool accept(enum token_kind kind)
{
	if (peek_token()->kind != kind)
		return false;
	take_token();
	return true;
}

void expect(enum token_kind kind, const char *name)
{
	if (!accept(kind))
		unexpected(name);
}

bool at_keyword(const char *keyword)
{
	const char *found = peek_keyword();

	return found && !strcmp(found, keyword);
}

bool accept_keyword(const char *keyword)
{
	if (!at_keyword(keyword))
		return false;
	take_token();
	return true;
}

void expect_keyword(const char *keyword)
{
	if (!accept_keyword(keyword))
		unexpected(keyword);
}

void expect_close(void)
{
	if (peek_token()->kind == TOKEN_WORD)
		syntax_error("word unexpected (expecting \")\")");
	expect(TOKEN_CLOSE, ")");
}

void skip_newlines(void)
{
	while (accept(TOKEN_NEWLINE))
		;
}

struct redirect *parse_redirects(struct redirect **last)
{
	struct redirect **first = last;

	while (peek_token()->kind == TOKEN_REDIRECT) {
		struct token token = take_token();
		struct redirect *redirect;

		if (peek_token()->kind != TOKEN_WORD)
			unexpected(NULL);
		redirect = arena_alloc(&tree_arena, sizeof(*redirect));
		redirect->kind = token.redirect;
		redirect->fd = token.fd;
		redirect->target = take_token().word;
		redirect->next = NULL;
		if (redirect->kind == REDIRECT_HERE ||
		    redirect->kind == REDIRECT_HERE_TABS)
			heredoc_expect(redirect, redirect->target);
		*last = redirect;
		last = &redirect->next;
	}
	return *first;
}

/* NAME=VALUE as what it is, or NULL if the word is something else. */
static struct assignment *parse_assignment(struct word *word)
{
	struct part *part = word->parts;
	struct assignment *assignment;
	size_t length;

	if (!part || part->kind != PART_TEXT || part->quoted)
		return NULL;
	length = name_length(part->text);
	if (length == 0 || part->text[length] != '=')
		return NULL;
	assignment = arena_alloc(&tree_arena, sizeof(*assignment));
	assignment->name = arena_copy(&tree_arena, part->text, length);
	assignment->value = word;
	assignment->next = NULL;
	part->text += length + 1;
	part->length -= length + 1;
	return assignment;
}

/* After NAME (. */
static struct node *parse_function(const struct word *word)
{
	const char *name = plain_text(word);
	struct node *node = new_node(NODE_FUNCTION);

	expect_close();
	if (!name || !is_name(name))
		syntax_error("Bad function name");
	skip_newlines();
	node->function.name = (char *)name;
	node->function.body = parse_command();
	return node;
}

static struct node *parse_simple(void)
{
	struct node *node = new_node(NODE_SIMPLE);
	struct assignment **assignment = &node->simple.assignments;
	struct redirect **redirect = &node->redirects;
	struct word **word = &node->simple.words;

	for (;;) {
		expand_aliases(!node->simple.words);
		if (peek_token()->kind == TOKEN_REDIRECT) {
			parse_redirects(redirect);
			while (*redirect)
				redirect = &(*redirect)->next;
		} else if (peek_token()->kind == TOKEN_WORD) {
			struct word *taken = take_token().word;

			if (!node->simple.words)
				*assignment = parse_assignment(taken);
			if (*assignment) {
				assignment = &(*assignment)->next;
			} else {
				*word = taken;
				word = &taken->next;
			}
		} else if (peek_token()->kind == TOKEN_OPEN &&
			   node->simple.words && !node->simple.words->next &&
			   !node->simple.assignments && !node->redirects) {
			take_token();
			return parse_function(node->simple.words);
		} else {
			return node;
		}
	}
}

struct node *parse_command(void)
{
	struct node *node;

	expand_aliases(true);
	if (peek_token()->kind != TOKEN_OPEN && !peek_keyword()) {
		if (peek_token()->kind != TOKEN_WORD &&
		    peek_token()->kind != TOKEN_REDIRECT)
			unexpected(NULL);
		return parse_simple();
	}
	node = parse_compound();
	parse_redirects(&node->redirects);
	return node;
}

static struct node *parse_piped(void)
{
	struct node *command = parse_command();
	struct node *pipeline;

	if (peek_token()->kind != TOKEN_PIPE)
		return command;
	pipeline = new_node(NODE_PIPELINE);
	pipeline->children = command;
	while (accept(TOKEN_PIPE)) {
		skip_newlines();
		command->next = parse_command();
		command = command->next;
	}
	return pipeline;
}

static struct node *parse_pipeline(void)
{
	struct node *node;

	expand_aliases(true);
	if (!accept_keyword("!"))
		return parse_piped();
	node = new_node(NODE_NOT);
	node->children = parse_piped();
	return node;
}

static struct node *parse_and_or(void)
{
	struct node *left = parse_pipeline();

	for (;;) {
		struct node *node;

		if (accept(TOKEN_AND))
			node = new_node(NODE_AND);
		else if (accept(TOKEN_OR))
			node = new_node(NODE_OR);
		else
			return left;
		skip_newlines();
		node->children = left;
		left->next = parse_pipeline();
		left = node;
	}
}

bool at_list_end(void)
{
	static const char *const enders[] = {
		"then", "else", "elif", "fi", "do", "done", "esac", "}", NULL
	};
	const char *keyword = peek_keyword();

	switch (peek_token()->kind) {
	case TOKEN_END:
	case TOKEN_CLOSE:
	case TOKEN_DOUBLE_SEMICOLON:
		return true;
	default:
		for (const char *const *e = enders; keyword && *e; e++)
			if (!strcmp(keyword, *e))
				return true;
		return false;
	}
}

/* A list of at least one command; one_line: a newline ends it. */
static struct node *parse_commands(bool one_line)
{
	struct node *first = NULL;
	struct node **last = &first;

	for (;;) {
		struct node *node = parse_and_or();
		bool separated = true;

		if (accept(TOKEN_AMPERSAND)) {
			struct node *child = node;

			node = new_node(NODE_BACKGROUND);
			node->children = child;
		} else {
			separated = accept(TOKEN_SEMICOLON);
		}
		expand_aliases(separated);
		*last = node;
		last = &node->next;
		if (peek_token()->kind == TOKEN_NEWLINE) {
			if (one_line)
				break;
			skip_newlines();
			expand_aliases(true);
			separated = true;
		}
		if (!separated || at_list_end())
			break;
	}
	if (first->next) {
		struct node *sequence = new_node(NODE_SEQUENCE);

		sequence->children = first;
		return sequence;
	}
	return first;
}

struct node *parse_list(const char *end)
{
	skip_newlines();
	if (peek_token()->kind == TOKEN_END)
		unexpected(end);
	return parse_commands(false);
}

struct node *parse_line(bool *end)
{
	struct node *node;

	expand_aliases(true);
	*end = accept(TOKEN_END);
	if (*end || accept(TOKEN_NEWLINE))
		return NULL;
	node = parse_commands(true);
	if (!accept(TOKEN_NEWLINE) && !accept(TOKEN_END))
		unexpected(NULL);
	return node;
}

struct node *parse_substitution(void)
{
	struct heredoc *expected = heredoc_put_aside();
	struct node *node = NULL;

	skip_newlines();
	if (!at_list_end())
		node = parse_list(")");
	expect(TOKEN_CLOSE, ")");
	heredoc_bring_back(expected);
	return node;
}

struct node *parse_text(const char *text)
{
	struct heredoc *expected;
	struct node *node = NULL;
	struct input in;

	expected = heredoc_put_aside();
	input_push_text(&in, text);
	skip_newlines();
	if (peek_token()->kind != TOKEN_END)
		node = parse_list(NULL);
	if (!accept(TOKEN_END))
		unexpected(NULL);
	input_pop();
	heredoc_bring_back(expected);
	return node;
}
