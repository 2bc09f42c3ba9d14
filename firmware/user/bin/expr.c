/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * expr EXPRESSION: | & < <= = != >= > + - * / % : and ( ), match, substr, index,
 * length. Status 0; 1 if the result is empty or 0; 2 if it is no expression.
 */
#include <err.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char **at;

static char *parse_or(void);

static bool next_is(const char *text)
{
	return *at && !strcmp(*at, text);
}

static bool accept(const char *text)
{
	if (!next_is(text))
		return false;
	at++;
	return true;
}

static char *text_of(long value)
{
	char *text = xmalloc(24);

	snprintf(text, 24, "%ld", value);
	return text;
}

static bool to_number(const char *text, long *value)
{
	char *end;

	*value = strtol(text, &end, 10);
	return end != text && !*end && *text != '+' && *text != ' ';
}

static long number(const char *text)
{
	long value;

	if (!to_number(text, &value))
		errx(2, "non-integer argument");
	return value;
}

static bool is_null(const char *text)
{
	long value;

	return !*text || (to_number(text, &value) && value == 0);
}

static char *argument(void)
{
	if (!*at)
		errx(2, "syntax error: missing argument after '%s'", at[-1]);
	return *at++;
}

static char *match(const char *text, const char *expression)
{
	struct match matches[REGEX_GROUPS];
	const char *error;
	struct regex *regex = regex_compile(expression, 0, &error);
	bool groups, found;

	if (!regex)
		errx(2, "%s", error);
	groups = regex_group_count(regex) > 0;
	found = regex_search(regex, text, strlen(text), 0, matches) &&
		matches[0].start == 0;
	if (!groups)
		return text_of(found ? (long)matches[0].end : 0);
	if (!found || matches[1].start == NO_MATCH)
		return "";
	return strndup(text + matches[1].start,
		       matches[1].end - matches[1].start);
}

static char *substring(const char *text, const char *from, const char *count)
{
	long start, length, size = strlen(text);

	if (!to_number(from, &start) || !to_number(count, &length) ||
	    start <= 0 || length <= 0 || start > size)
		return "";
	return strndup(text + start - 1, length);
}

static char *parse_primary(void)
{
	char *text, *from;

	if (accept("(")) {
		text = parse_or();
		if (!accept(")"))
			errx(2, *at ? "syntax error: expecting ')' instead of '%s'" :
			     "syntax error: expecting ')' after '%s'",
			     *at ? *at : at[-1]);
		return text;
	}
	if (next_is(")"))
		errx(2, "syntax error: unexpected ')'");
	if (accept("+"))
		return argument();
	if (accept("length"))
		return text_of(strlen(parse_primary()));
	if (accept("match")) {
		text = parse_primary();
		return match(text, parse_primary());
	}
	if (accept("index")) {
		size_t found;

		text = parse_primary();
		found = strcspn(text, parse_primary());
		return text_of(text[found] ? (long)found + 1 : 0);
	}
	if (accept("substr")) {
		text = parse_primary();
		from = parse_primary();
		return substring(text, from, parse_primary());
	}
	return argument();
}

static char *parse_match(void)
{
	char *left = parse_primary();

	while (accept(":"))
		left = match(left, parse_primary());
	return left;
}

static char *parse_product(void)
{
	char *left = parse_match();

	for (;;) {
		char operator = next_is("*") || next_is("/") || next_is("%") ?
				**at : 0;
		long a, b;

		if (!operator)
			return left;
		at++;
		a = number(left);
		b = number(parse_match());
		if (operator != '*' && b == 0)
			errx(2, "division by zero");
		/* The one quotient that does not fit. */
		if (operator != '*' && b == -1)
			a = operator == '/' ? (long)-(unsigned long)a : 0;
		else
			a = operator == '*' ?
			    (long)((unsigned long)a * (unsigned long)b) :
			    operator == '/' ? a / b : a % b;
		left = text_of(a);
	}
}

static char *parse_sum(void)
{
	char *left = parse_product();

	for (;;) {
		bool plus = next_is("+");
		unsigned long a, b;

		if (!plus && !next_is("-"))
			return left;
		at++;
		a = number(left);
		b = number(parse_product());
		left = text_of(plus ? a + b : a - b);
	}
}

static char *parse_comparison(void)
{
	static const char *const operators[] = {
		"<", "<=", "=", "==", "!=", ">=", ">", NULL
	};
	char *left = parse_sum();

	for (;;) {
		const char *const *operator = operators;
		const char *right;
		long a, b;
		int order;
		bool result;

		while (*operator && !next_is(*operator))
			operator++;
		if (!*operator)
			return left;
		at++;
		right = parse_sum();
		if (to_number(left, &a) && to_number(right, &b))
			order = (a > b) - (a < b);
		else
			order = strcmp(left, right);
		switch (operator - operators) {
		case 0: result = order < 0; break;
		case 1: result = order <= 0; break;
		case 2:
		case 3: result = order == 0; break;
		case 4: result = order != 0; break;
		case 5: result = order >= 0; break;
		default: result = order > 0;
		}
		left = text_of(result);
	}
}

static char *parse_and(void)
{
	char *left = parse_comparison();

	while (accept("&")) {
		char *right = parse_comparison();

		if (is_null(left) || is_null(right))
			left = "0";
	}
	return left;
}

static char *parse_or(void)
{
	char *left = parse_and();

	while (accept("|")) {
		char *right = parse_and();

		if (is_null(left))
			left = is_null(right) ? "0" : right;
	}
	return left;
}

int main(int argc, char **argv)
{
	char *result;

	if (argc < 2)
		errx(2, "missing operand");
	at = argv + 1;
	if (accept("--") && !*at)
		errx(2, "missing operand");
	result = parse_or();
	if (*at)
		errx(2, "syntax error: unexpected argument '%s'", *at);
	puts(result);
	return is_null(result);
}
