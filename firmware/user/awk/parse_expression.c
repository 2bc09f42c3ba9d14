/* SPDX-License-Identifier: GPL-2.0-only */
/* Expressions, by precedence: each function parses what binds tighter than the one before. */
#include <stdlib.h>
#include <string.h>

#include "awk.h"

static bool no_greater;		/* print's list: > ends it */

static struct node *parse_ternary(void);
static struct node *parse_unary(void);

static struct node *make(enum node_kind kind, int op, struct node *a,
			 struct node *b)
{
	struct node *node = node_new(kind);

	node->op = op;
	node->a = a;
	node->b = b;
	return node;
}

static bool is_lvalue(const struct node *node)
{
	return node->kind == N_GLOBAL || node->kind == N_LOCAL ||
	       node->kind == N_FIELD || node->kind == N_INDEX;
}

static struct node *need_lvalue(struct node *node)
{
	if (!is_lvalue(node))
		syntax_error("only a variable, field or element can be changed");
	return node;
}

/* In parentheses, everything means what it always does. */
static struct node *parse_inside(enum token end)
{
	bool greater = no_greater;
	struct node *list;

	no_greater = false;
	list = parse_list(end);
	no_greater = greater;
	return list;
}

/* From the subscript to its bracket. */
static struct node *parse_index(struct node *array)
{
	struct node *node;

	lex_next();
	node = make(N_INDEX, 0, array, parse_inside(T_RBRACKET));
	if (!node->b)
		syntax_error("a subscript is missing");
	return node;
}

static struct node *parse_name(void)
{
	struct node *node = variable_node(lexer.text);

	free(lexer.text);
	return lex_next() == T_LBRACKET ? parse_index(node) : node;
}

static struct node *parse_call(void)
{
	struct node *node = node_new(N_CALL);

	node->number = function_number(lexer.text);
	free(lexer.text);
	lex_next();
	lex_next();
	node->a = parse_inside(T_RPAREN);
	return node;
}

static struct node *parse_builtin(void)
{
	struct node *node = node_new(N_BUILTIN);

	node->number = lexer.builtin;
	if (lex_next() == T_LPAREN) {
		lex_next();
		node->a = parse_inside(T_RPAREN);
	} else if (node->number != B_LENGTH) {
		syntax_error("'(' is missing");
	}
	return node;
}

static struct node *parse_regex(void)
{
	struct node *node = node_new(N_REGEX);
	const char *why;

	lex_regex();
	node->regex = regex_compile(lexer.text, REGEX_EXTENDED, &why);
	if (!node->regex)
		syntax_error("/%s/: %s", lexer.text, why);
	free(lexer.text);
	lex_next();
	return node;
}

/* (a), or (a, b) in c: the list stays a list only for in and print. */
static struct node *parse_group(void)
{
	struct node *node = node_new(N_GROUP);

	lex_next();
	node->a = parse_inside(T_RPAREN);
	if (!node->a)
		syntax_error("an expression is missing");
	node->op = node->a->next && lexer.token != T_IN;	/* only print may have it */
	return node;
}

/* getline's own operands: a variable, and a file after <. */
static struct node *parse_getline(struct node *command)
{
	struct node *node = node_new(N_GETLINE);

	lex_next();
	if (lexer.token == T_NAME || lexer.token == T_DOLLAR)
		node->a = need_lvalue(parse_unary());
	node->b = command;
	node->op = command ? T_PIPE : 0;
	if (!command && lexer.token == T_LESS) {
		lex_next();
		node->op = T_LESS;
		node->b = parse_unary();
	}
	return node;
}

static struct node *parse_primary(void)
{
	struct node *node;

	switch (lexer.token) {
	case T_NUMBER:
		node = node_new(N_CONSTANT);
		node->constant = value_number(lexer.number);
		lex_next();
		return node;
	case T_STRING:
		node = node_new(N_CONSTANT);
		node->constant = value_string(lexer.text, lexer.length);
		free(lexer.text);
		lex_next();
		return node;
	case T_SLASH:
	case T_DIV_ASSIGN:
		return parse_regex();
	case T_DOLLAR:
		lex_next();
		if (lexer.token == T_INCREMENT || lexer.token == T_DECREMENT ||
		    lexer.token == T_MINUS || lexer.token == T_PLUS ||
		    lexer.token == T_NOT)
			return make(N_FIELD, 0, parse_unary(), NULL);
		return make(N_FIELD, 0, parse_primary(), NULL);
	case T_NAME:
		return parse_name();
	case T_FUNCTION_NAME:
		return parse_call();
	case T_BUILTIN:
		return parse_builtin();
	case T_LPAREN:
		return parse_group();
	case T_GETLINE:
		return parse_getline(NULL);
	case T_END:
		syntax_error("the program ends too early");
	default:
		syntax_error("syntax error");
	}
}

static struct node *parse_increment(void)
{
	struct node *node;
	int op = lexer.token;

	if (op == T_INCREMENT || op == T_DECREMENT) {
		lex_next();
		return make(N_BEFORE, op, need_lvalue(parse_primary()), NULL);
	}
	node = parse_primary();
	if ((lexer.token == T_INCREMENT || lexer.token == T_DECREMENT) &&
	    is_lvalue(node)) {
		node = make(N_AFTER, lexer.token, node, NULL);
		lex_next();
	}
	return node;
}

static struct node *parse_power(void)
{
	struct node *node = parse_increment();

	if (lexer.token != T_POWER)
		return node;
	lex_next();
	if (lexer.token == T_MINUS || lexer.token == T_PLUS ||
	    lexer.token == T_NOT)
		return make(N_BINARY, T_POWER, node, parse_unary());
	return make(N_BINARY, T_POWER, node, parse_power());
}

static struct node *parse_unary(void)
{
	int op = lexer.token;

	if (op != T_NOT && op != T_MINUS && op != T_PLUS)
		return parse_power();
	lex_next();
	return make(op == T_NOT ? N_NOT : op == T_MINUS ? N_NEGATE : N_PLUS, 0,
		    parse_unary(), NULL);
}

static struct node *parse_product(void)
{
	struct node *node = parse_unary();

	while (lexer.token == T_STAR || lexer.token == T_SLASH ||
	       lexer.token == T_PERCENT) {
		int op = lexer.token;

		lex_next();
		node = make(N_BINARY, op, node, parse_unary());
	}
	return node;
}

static struct node *parse_sum(void)
{
	struct node *node = parse_product();

	while (lexer.token == T_PLUS || lexer.token == T_MINUS) {
		int op = lexer.token;

		lex_next();
		node = make(N_BINARY, op, node, parse_product());
	}
	return node;
}

/* What a concatenation goes on with: no sign, and no regular expression. */
static bool starts_operand(void)
{
	switch (lexer.token) {
	case T_NUMBER:
	case T_STRING:
	case T_NAME:
	case T_FUNCTION_NAME:
	case T_BUILTIN:
	case T_DOLLAR:
	case T_LPAREN:
	case T_NOT:
	case T_INCREMENT:
	case T_DECREMENT:
		return true;
	default:
		return false;
	}
}

static struct node *parse_concat(void)
{
	struct node *node = parse_sum();

	while (starts_operand())
		node = make(N_CONCAT, 0, node, parse_sum());
	return node;
}

static struct node *parse_comparison(void)
{
	struct node *node = parse_concat();

	while (lexer.token == T_PIPE && lex_peek() == T_GETLINE) {
		lex_next();
		node = parse_getline(node);
	}
	switch ((int)lexer.token) {
	case T_GREATER:
		if (no_greater)
			return node;
		/* fall through */
	case T_LESS:
	case T_LESS_EQUAL:
	case T_EQUAL:
	case T_NOT_EQUAL:
	case T_GREATER_EQUAL: {
		int op = lexer.token;

		lex_next();
		return make(N_COMPARE, op, node, parse_concat());
	}
	default:
		return node;
	}
}

static struct node *parse_match(void)
{
	struct node *node = parse_comparison();

	while (lexer.token == T_MATCH || lexer.token == T_NO_MATCH) {
		int op = lexer.token;

		lex_next();
		node = make(N_MATCH, op, node, parse_comparison());
	}
	return node;
}

static struct node *parse_in(void)
{
	struct node *node = parse_match();

	while (lexer.token == T_IN) {
		struct node *key = node->kind == N_GROUP ? node->a : node;

		if (lex_next() != T_NAME)
			syntax_error("an array is missing after 'in'");
		node = make(N_IN, 0, variable_node(lexer.text), key);
		free(lexer.text);
		lex_next();
	}
	return node;
}

static struct node *parse_and(void)
{
	struct node *node = parse_in();

	while (lexer.token == T_AND) {
		lex_next();
		skip_newlines();
		node = make(N_AND, 0, node, parse_in());
	}
	return node;
}

static struct node *parse_or(void)
{
	struct node *node = parse_and();

	while (lexer.token == T_OR) {
		lex_next();
		skip_newlines();
		node = make(N_OR, 0, node, parse_and());
	}
	return node;
}

static bool is_assignment(int token)
{
	return token >= T_ASSIGN && token <= T_POW_ASSIGN;
}

/* "1 == x = 2", "!x = y" and "$1 = 2" alike: what is assigned to stands last. */
static struct node *assign_last(struct node *node, int op, struct node *value)
{
	if (is_lvalue(node))
		return make(N_ASSIGN, op, node, value);
	switch (node->kind) {
	case N_NOT:
	case N_NEGATE:
	case N_PLUS:
		node->a = assign_last(node->a, op, value);
		return node;
	case N_AND:
	case N_OR:
	case N_COMPARE:
	case N_MATCH:
	case N_CONCAT:
	case N_BINARY:
		node->b = assign_last(node->b, op, value);
		return node;
	default:
		need_lvalue(node);
		return node;
	}
}

static struct node *parse_ternary(void)
{
	struct node *node = parse_or(), *condition;

	if (is_assignment(lexer.token)) {
		int op = lexer.token;

		lex_next();
		skip_newlines();
		return assign_last(node, op, parse_ternary());
	}
	if (lexer.token != T_QUESTION)
		return node;
	lex_next();
	skip_newlines();
	condition = make(N_CONDITION, 0, node, parse_ternary());
	skip_newlines();
	expect(T_COLON, "':'");
	skip_newlines();
	condition->c = parse_ternary();
	return condition;
}

struct node *parse_expression(void)
{
	struct node *node = parse_ternary();

	if (node->kind == N_GROUP && node->op)
		syntax_error("a list is only for 'in' and print");
	return node;
}

struct node *parse_print_expression(void)
{
	struct node *node;
	bool greater = no_greater;

	no_greater = true;
	node = parse_ternary();
	no_greater = greater;
	return node;
}

struct node *parse_list(enum token end)
{
	struct node *first = NULL, **at = &first;

	skip_newlines();
	while (lexer.token != end) {
		*at = parse_expression();
		at = &(*at)->next;
		skip_newlines();
		if (lexer.token == end)
			break;
		expect(T_COMMA, "','");
		skip_newlines();
	}
	lex_next();
	return first;
}
