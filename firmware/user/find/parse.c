/* SPDX-License-Identifier: GPL-2.0-only */
/* The expression, from words to a tree of tests. */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "find.h"

static char **at;

static struct test *parse_or(void);

struct test *new_test(enum kind kind)
{
	struct test *test = xmalloc(sizeof(*test));

	*test = (struct test){ .kind = kind };
	return test;
}

struct test *new_pair(enum kind kind, struct test *left, struct test *right)
{
	struct test *test = new_test(kind);

	test->left = left;
	test->right = right;
	return test;
}

static const char *argument(const char *of)
{
	if (!*at)
		errx(1, "missing argument to '%s'", of);
	return *at++;
}

static void parse_size(struct test *test, const char *text)
{
	char *end;

	test->sign = *text == '+' || *text == '-' ? *text : 0;
	test->number = strtol(text + !!test->sign, &end, 10);
	test->unit = *end == 'c' ? 1 : *end == 'k' ? 1024 :
		     *end == 'M' ? 1 << 20 : 512;
	if (end == text + !!test->sign || (*end && end[1]) ||
	    (*end && !strchr("bckM", *end)))
		errx(1, "invalid -size type '%s'", text);
}

static void parse_exec(struct test *test)
{
	test->command = at;
	for (; *at; at++) {
		bool plus = !strcmp(*at, "+") && at > test->command &&
			    !strcmp(at[-1], "{}");

		if (!plus && strcmp(*at, ";"))
			continue;
		test->many = plus;
		at[-plus] = NULL;
		*at++ = NULL;
		if (*test->command)
			return;
		break;
	}
	errx(1, "missing argument to '-exec'");
}

static long depth_argument(const char *option)
{
	const char *text = argument(option);
	long value = parse_number(text);

	if (value < 0)
		errx(1, "Expected a positive decimal integer argument to %s, "
		     "but got '%s'", option, text);
	return value;
}

/* Options that hold for all; they count as true. */
static bool parse_global(const char *word)
{
	if (!strcmp(word, "-maxdepth"))
		options.max_depth = depth_argument(word);
	else if (!strcmp(word, "-mindepth"))
		options.min_depth = depth_argument(word);
	else if (!strcmp(word, "-depth"))
		options.depth_first = true;
	else if (!strcmp(word, "-xdev") || !strcmp(word, "-mount"))
		options.one_device = true;
	else
		return false;
	return true;
}

static bool is_one_of(const char *word, const char *a, const char *b)
{
	return !strcmp(word, a) || !strcmp(word, b);
}

static bool is_binary(const char *word)
{
	return is_one_of(word, "-a", "-and") || is_one_of(word, "-o", "-or");
}

/* After the first one. */
static struct test *parse_parentheses(void)
{
	struct test *test;

	if (!*at)
		errx(1, "invalid expression; expected to find a ')' but didn't "
		     "see one. Perhaps you need an extra predicate after '('");
	if (!strcmp(*at, ")"))
		errx(1, "invalid expression; empty parentheses are not allowed.");
	test = parse_or();
	if (!*at)
		errx(1, "invalid expression; I was expecting to find a ')' "
		     "somewhere but did not see one.");
	at++;
	return test;
}

static struct test *parse_primary(void)
{
	static const struct {
		const char *word;
		enum kind kind;
	} words[] = {
		{ "-name", NAME }, { "-iname", INAME }, { "-path", PATH },
		{ "-type", TYPE }, { "-size", SIZE }, { "-empty", EMPTY },
		{ "-newer", NEWER }, { "-exec", EXEC }, { "-print", PRINT },
		{ "-print0", PRINT0 }, { "-delete", DELETE },
		{ "-prune", PRUNE }, { "-quit", QUIT }, { "-true", TRUE },
		{ "-false", FALSE }, { "!", NOT }, { "-not", NOT },
	};
	const char *word = *at++;
	struct test *test;
	size_t i = 0;

	if (!strcmp(word, "("))
		return parse_parentheses();
	if (!strcmp(word, ")"))
		errx(1, "invalid expression; you have too many ')'");
	if (is_binary(word))
		errx(1, "invalid expression; you have used a binary operator "
		     "'%s' with nothing before it.", word);
	if (parse_global(word))
		return new_test(TRUE);
	while (i < sizeof(words) / sizeof(*words) &&
	       strcmp(words[i].word, word))
		i++;
	if (i == sizeof(words) / sizeof(*words))
		errx(1, *word == '-' ? "unknown predicate '%s'" :
		     "paths must precede expression: '%s'", word);
	test = new_test(words[i].kind);
	switch (test->kind) {
	case NOT:
		if (!*at)
			errx(1, "expected an expression after '%s'", word);
		if (!strcmp(*at, ")"))
			errx(1, "expected an expression between '%s' and ')'",
			     word);
		test->left = parse_primary();
		break;
	case TYPE:
		test->text = argument(word);
		if (strlen(test->text) != 1 || !strchr("fdlcbps", *test->text))
			errx(1, "Unknown argument to -type: %s", test->text);
		break;
	case NAME:
	case INAME:
	case PATH:
		test->text = argument(word);
		break;
	case SIZE:
		parse_size(test, argument(word));
		break;
	case NEWER:
		test->text = argument(word);
		if (stat(test->text, &test->than) < 0)
			err(1, "'%s'", test->text);
		break;
	case EXEC:
		parse_exec(test);
		options.acts = true;
		break;
	case DELETE:
		options.depth_first = true;
		options.acts = true;
		break;
	case PRINT:
	case PRINT0:
		options.acts = true;
		break;
	default:
		break;
	}
	return test;
}

static struct test *parse_and(void)
{
	struct test *left = parse_primary();

	while (*at && strcmp(*at, ")") && !is_one_of(*at, "-o", "-or")) {
		if (is_one_of(*at, "-a", "-and") && !*++at)
			errx(1, "expected an expression after '%s'", at[-1]);
		left = new_pair(AND, left, parse_primary());
	}
	return left;
}

static struct test *parse_or(void)
{
	struct test *left = parse_and();

	while (*at && is_one_of(*at, "-o", "-or")) {
		if (!*++at)
			errx(1, "expected an expression after '%s'", at[-1]);
		left = new_pair(OR, left, parse_and());
	}
	return left;
}

struct test *parse(char **words)
{
	struct test *test;

	at = words;
	test = *at ? parse_or() : new_test(TRUE);
	if (*at)
		errx(1, "you have too many ')'");
	return options.acts ? test : new_pair(AND, test, new_test(PRINT));
}
