/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * test and [: expressions over files, strings and numbers. What a word is, an
 * operator or an operand, follows from the words around it, as in dash.
 */
#include <commands.h>
#include <ctype.h>
#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum operator_kind {
	NO_OPERATOR,
	UNARY,
	BINARY,
	OR,
	AND,
	NOT,
	OPEN,
	CLOSE,
};

static const struct operator {
	const char *text;
	enum operator_kind kind;
} operators[] = {
	{ "-b", UNARY }, { "-c", UNARY }, { "-d", UNARY }, { "-e", UNARY },
	{ "-f", UNARY }, { "-g", UNARY }, { "-h", UNARY }, { "-k", UNARY },
	{ "-L", UNARY }, { "-n", UNARY }, { "-p", UNARY }, { "-r", UNARY },
	{ "-s", UNARY }, { "-S", UNARY }, { "-t", UNARY }, { "-u", UNARY },
	{ "-w", UNARY }, { "-x", UNARY }, { "-z", UNARY }, { "-O", UNARY },
	{ "-G", UNARY },
	{ "=", BINARY }, { "==", BINARY }, { "!=", BINARY }, { "<", BINARY },
	{ ">", BINARY }, { "-eq", BINARY }, { "-ne", BINARY },
	{ "-gt", BINARY }, { "-ge", BINARY }, { "-lt", BINARY },
	{ "-le", BINARY }, { "-nt", BINARY }, { "-ot", BINARY },
	{ "-ef", BINARY },
	{ "!", NOT }, { "-a", AND }, { "-o", OR }, { "(", OPEN }, { ")", CLOSE },
	{ NULL, NO_OPERATOR }
};

static char **word;			/* the next one */
static complain_fn *say;
static jmp_buf failed;

static void __attribute__((noreturn, noinline)) fail(const char *about, const char *why)
{
	if (about && *about)
		say("%s: %s", about, why);
	else
		say("%s", why);
	longjmp(failed, 1);
}

static enum operator_kind kind_of(const char *text)
{
	const struct operator *operator = operators;

	while (operator->text && strcmp(operator->text, text))
		operator++;
	return operator->kind;
}

/* A unary operator that nothing follows, or a binary one, is an operand. */
static bool is_operand(char **at)
{
	if (!at[1])
		return true;
	return at[2] && kind_of(at[1]) == BINARY;
}

static enum operator_kind next(char **at)
{
	enum operator_kind kind = *at ? kind_of(*at) : NO_OPERATOR;

	if (kind == UNARY && is_operand(at))
		return NO_OPERATOR;
	if (kind == OPEN && !at[1])
		return NO_OPERATOR;
	return kind;
}

static long number(const char *text)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	while (isspace(*end))
		end++;
	if (end == text || *end || errno)
		fail("Illegal number", text);
	return value;
}

static bool test_file(char what, const char *path)
{
	struct stat st;

	if (what == 'h' || what == 'L')
		return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
	if (stat(path, &st) < 0)
		return false;
	switch (what) {
	case 'b': return S_ISBLK(st.st_mode);
	case 'c': return S_ISCHR(st.st_mode);
	case 'd': return S_ISDIR(st.st_mode);
	case 'f': return S_ISREG(st.st_mode);
	case 'p': return S_ISFIFO(st.st_mode);
	case 'S': return S_ISSOCK(st.st_mode);
	case 's': return st.st_size > 0;
	case 'g': return st.st_mode & S_ISGID;
	case 'u': return st.st_mode & S_ISUID;
	case 'k': return st.st_mode & S_ISVTX;
	case 'r': return access(path, R_OK) == 0;
	case 'w': return access(path, W_OK) == 0;
	case 'x': return access(path, X_OK) == 0;
	case 'O': return st.st_uid == geteuid();
	case 'G': return st.st_gid == getegid();
	default: return true;
	}
}

static bool test_unary(const char *operator, const char *operand)
{
	switch (operator[1]) {
	case 'n':
		return *operand;
	case 'z':
		return !*operand;
	case 't':
		return isatty(number(operand));
	default:
		return test_file(operator[1], operand);
	}
}

/* Which of two files was changed later; one that is missing is the older. */
static int compare_times(const char *a, const char *b)
{
	struct stat x, y;
	bool has_x = stat(a, &x) == 0, has_y = stat(b, &y) == 0;

	if (!has_x || !has_y)
		return has_x - has_y;
	if (x.st_mtime != y.st_mtime)
		return x.st_mtime > y.st_mtime ? 1 : -1;
	return (x.st_mtime_nsec > y.st_mtime_nsec) -
	       (x.st_mtime_nsec < y.st_mtime_nsec);
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 &&
	       x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static bool test_binary(const char *a, const char *operator, const char *b)
{
	long x, y;

	if (*operator != '-') {
		int order = strcmp(a, b);

		return *operator == '=' ? order == 0 :
		       *operator == '!' ? order != 0 :
		       *operator == '<' ? order < 0 : order > 0;
	}
	if (!strcmp(operator, "-nt"))
		return compare_times(a, b) > 0;
	if (!strcmp(operator, "-ot"))
		return compare_times(a, b) < 0;
	if (!strcmp(operator, "-ef"))
		return same_file(a, b);
	x = number(a);
	y = number(b);
	switch (operator[1]) {
	case 'e':
		return x == y;
	case 'n':
		return x != y;
	case 'g':
		return operator[2] == 't' ? x > y : x >= y;
	default:
		return operator[2] == 't' ? x < y : x <= y;
	}
}

static bool parse_or(enum operator_kind kind);

/* Leaves word at the last one it used. */
static bool parse_primary(enum operator_kind kind)
{
	const char *operator;
	bool result;

	if (!*word)
		return false;
	if (kind == OPEN) {
		if (next(++word) == CLOSE)
			return false;
		result = parse_or(next(word));
		if (next(++word) != CLOSE)
			fail(NULL, "closing paren expected");
		return result;
	}
	if (kind == UNARY) {
		operator = *word++;
		if (!*word)
			fail(operator, "argument expected");
		return test_unary(operator, *word);
	}
	if (word[1] && next(word + 1) == BINARY) {
		const char *left = *word;

		operator = *++word;
		if (!*++word)
			fail(operator, "argument expected");
		return test_binary(left, operator, *word);
	}
	return **word;
}

static bool parse_not(enum operator_kind kind)
{
	if (kind != NOT)
		return parse_primary(kind);
	kind = next(word + 1);
	if (word[1])
		word++;
	else
		return true;
	return !parse_not(kind);
}

static bool parse_and(enum operator_kind kind)
{
	bool result = true;

	for (;;) {
		result &= parse_not(kind);
		if (!*word || next(word + 1) != AND)
			return result;
		word += 2;
		kind = next(word);
	}
}

static bool parse_or(enum operator_kind kind)
{
	bool result = false;

	for (;;) {
		result |= parse_and(kind);
		if (!*word || next(word + 1) != OR)
			return result;
		word += 2;
		kind = next(word);
	}
}

/* POSIX says what up to four words mean, whatever they are. */
static bool __attribute__((noinline)) evaluate(int count, char **words)
{
	bool negated = false;
	enum operator_kind kind;

	for (;; count--, words++, negated = !negated) {
		if (count == 0)
			return negated;
		if (count == 3 && kind_of(words[1]) == BINARY) {
			kind = NO_OPERATOR;
			break;
		}
		if ((count == 3 || count == 4) && !strcmp(words[0], "(") &&
		    !strcmp(words[count - 1], ")")) {
			words[count - 1] = NULL;
			words++;
			kind = next(words);
			break;
		}
		if ((count != 3 && count != 4) || strcmp(words[0], "!")) {
			kind = next(words);
			break;
		}
	}
	word = words;
	negated ^= parse_or(kind);
	if (*word && word[1])
		fail(*word, "unexpected operator");
	return negated;
}

int command_test(int argc, char **argv, complain_fn *complain)
{
	char *words[argc + 1];

	say = complain;
	if (!strcmp(argv[0], "[") && strcmp(argv[--argc], "]")) {
		say("missing ]");
		return 2;
	}
	for (int i = 0; i < argc - 1; i++)
		words[i] = argv[i + 1];
	words[argc - 1] = NULL;
	words[argc] = NULL;
	if (setjmp(failed))
		return 2;
	return !evaluate(argc - 1, words);
}
