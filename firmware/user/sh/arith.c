/* SPDX-License-Identifier: GPL-2.0-only */
/* $((...)): arithmetic as in C, on long integers that wrap around. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "shell.h"

/* What is being evaluated; skipped parts have no effect: of ?:, && and ||. */
struct expression {
	const char *text;
	const char *at;
	bool skipping;
};

static long parse_assignment(struct expression *e);

static void __attribute__((noreturn)) bad(const struct expression *e,
					  const char *why)
{
	fail("arithmetic expression: %s: \"%s\"", why, e->text);
}

static void skip_blanks(struct expression *e)
{
	while (isspace(*e->at))
		e->at++;
}

/* Operators, those that begin like a shorter one first. */
static const char *const operators[] = {
	"<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=",
	"-=", "*=", "/=", "%=", "&=", "^=", "|=", "++", "--", "<", ">", "+", "-",
	"*", "/", "%", "&", "^", "|", "!", "~", "?", ":", "=", "(", ")", ",",
	NULL
};

static const char *peek(struct expression *e)
{
	skip_blanks(e);
	for (const char *const *o = operators; *o; o++)
		if (!strncmp(e->at, *o, strlen(*o)))
			return *o;
	return "";
}

static bool accept(struct expression *e, const char *operator)
{
	if (strcmp(peek(e), operator))
		return false;
	e->at += strlen(operator);
	return true;
}

static long to_number(const char *text)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 0);
	while (isspace(*end))
		end++;
	if (*end)
		fail("Illegal number: %s", text);
	return value;
}

static long variable(const char *name)
{
	const char *value = var_get(name);

	if (!strcmp(name, "LINENO"))
		return shell.line;
	if (!value && options.unset)
		fail("%s: parameter not set", name);
	return value ? to_number(value) : 0;
}

static void assign(const struct expression *e, const char *name, long value)
{
	char text[24];

	if (e->skipping)
		return;
	snprintf(text, sizeof(text), "%ld", value);
	var_set(name, text);
}

/* The result of a binary operator; shifts count modulo 64, as CPUs do. */
static long apply(const struct expression *e, const char *operator, long a,
		  long b)
{
	unsigned long x = a, y = b;
	bool twice = operator[1] == operator[0];

	switch (*operator) {
	case '+':
		return x + y;
	case '-':
		return x - y;
	case '*':
		return x * y;
	case '/':
	case '%':
		if (b == 0) {
			if (e->skipping)
				return 0;
			bad(e, "division by zero");
		}
		if (b == -1)
			return *operator == '/' ? -x : 0;
		return *operator == '/' ? a / b : a % b;
	case '&':
		return a & b;
	case '|':
		return a | b;
	case '^':
		return a ^ b;
	case '=':
		return a == b;
	case '!':
		return a != b;
	case '<':
		return twice ? (long)(x << (y & 63)) :
		       operator[1] ? a <= b : a < b;
	default:
		return twice ? a >> (y & 63) : operator[1] ? a >= b : a > b;
	}
}

/* Behind x-- in x--3: then these are a minus and a sign. */
static bool is_before_operand(const char *at)
{
	while (isspace(*at))
		at++;
	return isalnum(*at) || *at == '_' || *at == '(';
}

/* A name, with ++ or -- after it. */
static long parse_name(struct expression *e)
{
	size_t length = name_length(e->at);
	char *name = arena_copy(&temp_arena, e->at, length);
	const char *operator;
	long value;

	e->at += length;
	operator = peek(e);
	value = e->skipping ? 0 : variable(name);
	if ((!strcmp(operator, "++") || !strcmp(operator, "--")) &&
	    !is_before_operand(e->at + 2)) {
		e->at += 2;
		assign(e, name, apply(e, operator, value, 1));
	}
	return value;
}

static long parse_primary(struct expression *e)
{
	const char *operator = peek(e);
	unsigned long value;
	char *end;

	if (accept(e, "(")) {
		value = parse_assignment(e);
		while (accept(e, ","))
			value = parse_assignment(e);
		if (!accept(e, ")"))
			bad(e, "expecting ')'");
		return value;
	}
	if (!strcmp(operator, "++") || !strcmp(operator, "--")) {
		const char *name = e->at + 2;

		while (isspace(*name))
			name++;
		if (name_length(name)) {
			char *copy = arena_copy(&temp_arena, name,
						name_length(name));
			long result;

			e->at = name + strlen(copy);
			result = apply(e, operator, e->skipping ? 0 :
				       variable(copy), 1);
			assign(e, copy, result);
			return result;
		}
	}
	if (*operator == '+' || *operator == '-') {
		e->at++;
		value = parse_primary(e);
		return *operator == '-' ? -value : value;
	}
	if (accept(e, "!"))
		return !parse_primary(e);
	if (accept(e, "~"))
		return ~parse_primary(e);
	if (name_length(e->at))
		return parse_name(e);
	if (!isdigit(*e->at))
		bad(e, "expecting primary");
	errno = 0;
	value = strtol(e->at, &end, 0);
	e->at = end;
	return value;
}

/* How tightly a binary operator binds; 0: it is none. */
static int precedence(const char *operator)
{
	static const char *const levels[] = {
		"||", "&&", "|", "^", "&", "== !=", "<= >= < >", "<< >>",
		"+ -", "* / %"
	};

	for (size_t i = 0; *operator && i < sizeof(levels) / sizeof(*levels);
	     i++) {
		size_t length = strlen(operator);
		const char *found = levels[i];

		for (; *found; found += strcspn(found, " "),
			       found += *found == ' ')
			if (strcspn(found, " ") == length &&
			    !strncmp(found, operator, length))
				return i + 1;
	}
	return 0;
}

static long parse_binary(struct expression *e, int least)
{
	long left = parse_primary(e);

	for (;;) {
		const char *operator = peek(e);
		int level;
		bool outer = e->skipping;
		long right;

		/* 1--1: behind a number they are two operators. */
		if (!strcmp(operator, "++"))
			operator = "+";
		else if (!strcmp(operator, "--"))
			operator = "-";
		level = precedence(operator);
		if (level == 0 || level < least)
			return left;
		e->at += strlen(operator);
		if (!strcmp(operator, "&&"))
			e->skipping |= !left;
		else if (!strcmp(operator, "||"))
			e->skipping |= left != 0;
		right = parse_binary(e, level + 1);
		e->skipping = outer;
		if (!strcmp(operator, "&&"))
			left = left && right;
		else if (!strcmp(operator, "||"))
			left = left || right;
		else
			left = apply(e, operator, left, right);
	}
}

static long parse_choice(struct expression *e)
{
	long condition = parse_binary(e, 1);
	bool outer = e->skipping;
	long yes, no;

	if (!accept(e, "?"))
		return condition;
	e->skipping = outer || !condition;
	yes = parse_assignment(e);
	if (!accept(e, ":"))
		bad(e, "expecting ':'");
	e->skipping = outer || condition;
	no = parse_choice(e);
	e->skipping = outer;
	return condition ? yes : no;
}

static bool is_assignment(const char *operator)
{
	size_t length = strlen(operator);

	return length > 0 && operator[length - 1] == '=' &&
	       strcmp(operator, "==") && strcmp(operator, "!=") &&
	       strcmp(operator, "<=") && strcmp(operator, ">=");
}

static long parse_assignment(struct expression *e)
{
	const char *start, *operator;
	size_t length;
	char *name;
	long value;

	skip_blanks(e);
	start = e->at;
	length = name_length(start);
	e->at += length;
	operator = length ? peek(e) : "";
	if (!is_assignment(operator)) {
		e->at = start;
		return parse_choice(e);
	}
	name = arena_copy(&temp_arena, start, length);
	e->at += strlen(operator);
	value = parse_assignment(e);
	if (operator[1]) {
		char bare[3] = { operator[0],
				 operator[2] ? operator[1] : '\0', '\0' };

		value = apply(e, bare, e->skipping ? 0 : variable(name), value);
	}
	assign(e, name, value);
	return value;
}

long arithmetic(const char *text)
{
	struct expression e = { .text = text, .at = text };
	long value;

	skip_blanks(&e);
	if (!*e.at)
		return 0;
	value = parse_assignment(&e);
	while (accept(&e, ","))
		value = parse_assignment(&e);
	skip_blanks(&e);
	if (*e.at)
		bad(&e, "expecting EOF");
	return value;
}
