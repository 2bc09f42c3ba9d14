/* SPDX-License-Identifier: GPL-2.0-only */
/* A program: rules, functions and statements. */
#include <stdlib.h>
#include <string.h>

#include "awk.h"

struct program program;

static struct function *current;	/* whose body is parsed */
static int loops;

static struct node *parse_statement(void);

struct node *node_new(enum node_kind kind)
{
	struct node *node = calloc(1, sizeof(*node));

	if (!node)
		fatal("out of memory");
	node->kind = kind;
	node->line = lexer.line;
	return node;
}

bool accept(enum token token)
{
	if (lexer.token != token)
		return false;
	lex_next();
	return true;
}

void expect(enum token token, const char *what)
{
	if (!accept(token))
		syntax_error("syntax error: %s is missing", what);
}

void skip_newlines(void)
{
	while (lexer.token == T_NEWLINE)
		lex_next();
}

static void skip_ends(void)
{
	while (lexer.token == T_NEWLINE || lexer.token == T_SEMICOLON)
		lex_next();
}

struct node *variable_node(const char *name)
{
	struct node *node = node_new(N_GLOBAL);

	for (int i = 0; current && i < current->parameter_count; i++)
		if (!strcmp(current->parameters[i], name)) {
			node->kind = N_LOCAL;
			node->number = i;
			return node;
		}
	node->number = global_number(name);
	return node;
}

int function_number(const char *name)
{
	struct function *made;

	for (int i = 0; i < program.function_count; i++)
		if (!strcmp(program.functions[i].name, name))
			return i;
	program.functions = xrealloc(program.functions,
				     (program.function_count + 1) *
				     sizeof(*program.functions));
	made = &program.functions[program.function_count];
	*made = (struct function){ .name = xstrdup(name), .line = lexer.line };
	return program.function_count++;
}

/* A statement's end; a } ends it, too. */
static void end_statement(void)
{
	if (lexer.token == T_SEMICOLON || lexer.token == T_NEWLINE)
		skip_ends();
	else if (lexer.token != T_RBRACE && lexer.token != T_END)
		syntax_error("syntax error");
}

static struct node *parse_block(void)
{
	struct node *block = node_new(N_BLOCK), **at = &block->a;

	expect(T_LBRACE, "'{'");
	skip_ends();
	while (lexer.token != T_RBRACE) {
		*at = parse_statement();
		at = &(*at)->next;
		skip_ends();
	}
	lex_next();
	return block;
}

/* What an if or a loop governs, perhaps on the next line, perhaps nothing. */
static struct node *parse_body(void)
{
	skip_newlines();
	if (accept(T_SEMICOLON))
		return node_new(N_BLOCK);
	return parse_statement();
}

static struct node *parse_loop_body(void)
{
	struct node *body;

	loops++;
	body = parse_body();
	loops--;
	return body;
}

static struct node *parse_condition(void)
{
	struct node *condition;

	expect(T_LPAREN, "'('");
	condition = parse_expression();
	expect(T_RPAREN, "')'");
	return condition;
}

static struct node *parse_if(void)
{
	struct node *node = node_new(N_IF);
	struct lexer here;

	lex_next();
	node->a = parse_condition();
	node->b = parse_body();
	/* The else may come after newlines and a semicolon; or never. */
	here = lexer;
	skip_ends();
	if (lexer.token == T_ELSE) {
		lex_next();
		node->c = parse_body();
	} else {
		if (lexer.at != here.at)
			free(lexer.text);
		lexer = here;
	}
	return node;
}

static struct node *parse_while(void)
{
	struct node *node = node_new(N_WHILE);

	lex_next();
	node->a = parse_condition();
	node->b = parse_loop_body();
	return node;
}

static struct node *parse_do(void)
{
	struct node *node = node_new(N_DO);

	lex_next();
	node->b = parse_loop_body();
	skip_ends();
	expect(T_WHILE, "'while'");
	node->a = parse_condition();
	end_statement();
	return node;
}

static struct node *parse_simple(void);

static struct node *parse_for(void)
{
	struct node *node = node_new(N_FOR);

	lex_next();
	expect(T_LPAREN, "'('");
	if (lexer.token != T_SEMICOLON)
		node->a = parse_simple();
	if (lexer.token == T_RPAREN && node->a && node->a->a &&
	    node->a->kind == N_EXPRESSION && node->a->a->kind == N_IN) {
		struct node *in = node->a->a;

		node->kind = N_FOR_IN;
		node->a = in->b;
		node->b = in->a;
	} else {
		expect(T_SEMICOLON, "';'");
		skip_newlines();
		if (lexer.token != T_SEMICOLON)
			node->b = parse_expression();
		expect(T_SEMICOLON, "';'");
		skip_newlines();
		if (lexer.token != T_RPAREN)
			node->c = parse_simple();
	}
	expect(T_RPAREN, "')'");
	node->d = parse_loop_body();
	return node;
}

static bool ends_print(void)
{
	return lexer.token == T_NEWLINE || lexer.token == T_SEMICOLON ||
	       lexer.token == T_RBRACE || lexer.token == T_END ||
	       lexer.token == T_GREATER || lexer.token == T_APPEND ||
	       lexer.token == T_PIPE;
}

static struct node *parse_print(void)
{
	struct node *node = node_new(lexer.token == T_PRINT ? N_PRINT : N_PRINTF);
	struct node **at = &node->a;

	lex_next();
	if (!ends_print()) {
		do {
			skip_newlines();
			*at = parse_print_expression();
			at = &(*at)->next;
		} while (accept(T_COMMA));
	}
	/* print (a, b) */
	if (node->a && node->a->kind == N_GROUP && node->a->op) {
		if (node->a->next)
			syntax_error("syntax error");
		node->a = node->a->a;
	}
	if (node->kind == N_PRINTF && !node->a)
		syntax_error("printf needs a format");
	node->op = TO_STDOUT;
	if (lexer.token == T_GREATER || lexer.token == T_APPEND ||
	    lexer.token == T_PIPE) {
		node->op = lexer.token == T_GREATER ? TO_FILE :
			   lexer.token == T_APPEND ? TO_APPEND : TO_PIPE;
		lex_next();
		node->b = parse_print_expression();
	}
	return node;
}

static struct node *parse_delete(void)
{
	struct node *node = node_new(N_DELETE);

	if (lex_next() != T_NAME)
		syntax_error("delete needs an array");
	node->a = parse_print_expression();
	if (node->a->kind != N_INDEX && node->a->kind != N_GLOBAL &&
	    node->a->kind != N_LOCAL)
		syntax_error("delete needs an array or an element");
	return node;
}

/* What may stand in the head of a for. */
static struct node *parse_simple(void)
{
	struct node *node;

	switch ((int)lexer.token) {
	case T_PRINT:
	case T_PRINTF:
		return parse_print();
	case T_DELETE:
		return parse_delete();
	default:
		node = node_new(N_EXPRESSION);
		node->a = parse_expression();
		return node;
	}
}

static struct node *parse_jump(enum node_kind kind, bool allowed, bool with_value)
{
	struct node *node = node_new(kind);

	if (!allowed)
		syntax_error("this cannot stand here");
	lex_next();
	if (with_value && lexer.token != T_NEWLINE &&
	    lexer.token != T_SEMICOLON && lexer.token != T_RBRACE)
		node->a = parse_expression();
	end_statement();
	return node;
}

static struct node *parse_statement(void)
{
	struct node *node;

	switch ((int)lexer.token) {
	case T_LBRACE:
		return parse_block();
	case T_IF:
		return parse_if();
	case T_WHILE:
		return parse_while();
	case T_DO:
		return parse_do();
	case T_FOR:
		return parse_for();
	case T_BREAK:
		return parse_jump(N_BREAK, loops, false);
	case T_CONTINUE:
		return parse_jump(N_CONTINUE, loops, false);
	case T_NEXT:
		return parse_jump(N_NEXT, true, false);
	case T_NEXTFILE:
		return parse_jump(N_NEXTFILE, true, false);
	case T_EXIT:
		return parse_jump(N_EXIT, true, true);
	case T_RETURN:
		return parse_jump(N_RETURN, current, true);
	case T_SEMICOLON:
		lex_next();
		return node_new(N_BLOCK);
	default:
		node = parse_simple();
		end_statement();
		return node;
	}
}

static void parse_parameters(struct function *function)
{
	expect(T_LPAREN, "'('");
	skip_newlines();
	while (lexer.token == T_NAME) {
		function->parameters =
			xrealloc(function->parameters,
				 (function->parameter_count + 1) *
				 sizeof(*function->parameters));
		function->parameters[function->parameter_count++] = lexer.text;
		lex_next();
		skip_newlines();
		if (!accept(T_COMMA))
			break;
		skip_newlines();
	}
	expect(T_RPAREN, "')'");
}

static void parse_function(void)
{
	struct function parsed = {}, *function;
	struct node *body;
	int number;

	if (lex_next() != T_FUNCTION_NAME && lexer.token != T_NAME)
		syntax_error("a function needs a name");
	number = function_number(lexer.text);
	free(lexer.text);
	if (program.functions[number].defined)
		syntax_error("function %s is defined twice",
			     program.functions[number].name);
	program.functions[number].defined = true;
	lex_next();
	parse_parameters(&parsed);
	skip_newlines();
	current = &parsed;
	body = parse_block();
	current = NULL;
	/* The table may have moved while the body named other functions. */
	function = &program.functions[number];
	function->parameters = parsed.parameters;
	function->parameter_count = parsed.parameter_count;
	function->body = body;
}

static struct rule *parse_rule(void)
{
	struct rule *rule = calloc(1, sizeof(*rule));

	if (!rule)
		fatal("out of memory");
	if (accept(T_BEGIN)) {
		rule->kind = RULE_BEGIN;
	} else if (accept(T_END_RULE)) {
		rule->kind = RULE_END;
	} else if (lexer.token == T_LBRACE) {
		rule->kind = RULE_ALWAYS;
	} else {
		rule->kind = RULE_PATTERN;
		rule->from = parse_expression();
		if (accept(T_COMMA)) {
			skip_newlines();
			rule->kind = RULE_RANGE;
			rule->to = parse_expression();
		}
	}
	if (lexer.token == T_LBRACE)
		rule->action = parse_block();
	else if (rule->kind == RULE_BEGIN || rule->kind == RULE_END)
		syntax_error("BEGIN and END need an action");
	else if (lexer.token != T_NEWLINE && lexer.token != T_SEMICOLON &&
		 lexer.token != T_END)
		syntax_error("syntax error");
	return rule;
}

void parse_program(const char *source)
{
	struct rule **at = &program.rules;

	lex_start(source);
	lex_next();
	skip_ends();
	while (lexer.token != T_END) {
		if (lexer.token == T_FUNCTION) {
			parse_function();
		} else {
			*at = parse_rule();
			at = &(*at)->next;
		}
		skip_ends();
	}
	for (int i = 0; i < program.function_count; i++)
		if (!program.functions[i].defined) {
			lexer.line = program.functions[i].line;
			syntax_error("function %s is not defined",
				     program.functions[i].name);
		}
}
