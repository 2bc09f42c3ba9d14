/* SPDX-License-Identifier: GPL-2.0-only */
/* Tokens of a program. */
#include <ctype.h>
#include <err.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "awk.h"

#define COUNT(table)	(sizeof(table) / sizeof(*(table)))

struct lexer lexer;

void syntax_error(const char *format, ...)
{
	char message[200];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	errx(2, "line %d: %s", lexer.line, message);
}

void lex_start(const char *source)
{
	lexer = (struct lexer){ .at = source, .line = 1 };
}

struct word {
	const char *text;
	int meaning;
};

static const struct word keywords[] = {
	{ "BEGIN", T_BEGIN }, { "END", T_END_RULE }, { "break", T_BREAK },
	{ "continue", T_CONTINUE }, { "delete", T_DELETE }, { "do", T_DO },
	{ "else", T_ELSE }, { "exit", T_EXIT }, { "for", T_FOR },
	{ "func", T_FUNCTION }, { "function", T_FUNCTION },
	{ "getline", T_GETLINE }, { "if", T_IF }, { "in", T_IN },
	{ "next", T_NEXT }, { "nextfile", T_NEXTFILE }, { "print", T_PRINT },
	{ "printf", T_PRINTF }, { "return", T_RETURN }, { "while", T_WHILE },
};

static const struct word builtins[] = {
	{ "atan2", B_ATAN2 }, { "close", B_CLOSE }, { "cos", B_COS },
	{ "exp", B_EXP }, { "fflush", B_FFLUSH }, { "gsub", B_GSUB },
	{ "index", B_INDEX }, { "int", B_INT }, { "length", B_LENGTH },
	{ "log", B_LOG }, { "match", B_MATCH }, { "rand", B_RAND },
	{ "sin", B_SIN }, { "split", B_SPLIT }, { "sprintf", B_SPRINTF },
	{ "sqrt", B_SQRT }, { "srand", B_SRAND }, { "sub", B_SUB },
	{ "substr", B_SUBSTR }, { "system", B_SYSTEM },
	{ "tolower", B_TOLOWER }, { "toupper", B_TOUPPER },
};

/* The longest first. */
static const struct word operators[] = {
	{ "**=", T_POW_ASSIGN }, { "+=", T_ADD_ASSIGN }, { "-=", T_SUB_ASSIGN },
	{ "*=", T_MUL_ASSIGN }, { "/=", T_DIV_ASSIGN }, { "%=", T_MOD_ASSIGN },
	{ "^=", T_POW_ASSIGN }, { "==", T_EQUAL }, { "<=", T_LESS_EQUAL },
	{ ">=", T_GREATER_EQUAL }, { "!=", T_NOT_EQUAL }, { "!~", T_NO_MATCH },
	{ "++", T_INCREMENT }, { "--", T_DECREMENT }, { "&&", T_AND },
	{ "||", T_OR }, { ">>", T_APPEND }, { "**", T_POWER }, { "{", T_LBRACE },
	{ "}", T_RBRACE }, { "(", T_LPAREN }, { ")", T_RPAREN },
	{ "[", T_LBRACKET }, { "]", T_RBRACKET }, { ";", T_SEMICOLON },
	{ ",", T_COMMA }, { "+", T_PLUS }, { "-", T_MINUS }, { "*", T_STAR },
	{ "/", T_SLASH }, { "%", T_PERCENT }, { "^", T_POWER }, { "!", T_NOT },
	{ ">", T_GREATER }, { "<", T_LESS }, { "|", T_PIPE },
	{ "?", T_QUESTION }, { ":", T_COLON }, { "~", T_MATCH },
	{ "$", T_DOLLAR }, { "=", T_ASSIGN },
};

static void skip_blanks(void)
{
	for (;; lexer.at++) {
		if (*lexer.at == '#')
			lexer.at += strcspn(lexer.at, "\n");
		if (lexer.at[0] == '\\' && lexer.at[1] == '\n') {
			lexer.at++;
			lexer.line++;
		} else if (lexer.at[0] == '\\' && lexer.at[1] == '\r' &&
			   lexer.at[2] == '\n') {
			lexer.at += 2;
			lexer.line++;
		} else if (*lexer.at != ' ' && *lexer.at != '\t' &&
			   *lexer.at != '\r') {
			return;
		}
	}
}

static const struct word *find_word(const struct word *words, size_t count,
				    const char *start, size_t length)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(words[i].text) == length &&
		    !memcmp(words[i].text, start, length))
			return &words[i];
	return NULL;
}

static enum token lex_name(void)
{
	const char *start = lexer.at;
	const struct word *word;
	size_t length;

	while (isalnum(*lexer.at) || *lexer.at == '_')
		lexer.at++;
	length = lexer.at - start;
	word = find_word(keywords, COUNT(keywords), start, length);
	if (word)
		return word->meaning;
	word = find_word(builtins, COUNT(builtins), start, length);
	if (word) {
		lexer.builtin = word->meaning;
		return T_BUILTIN;
	}
	lexer.text = strndup(start, length);
	return *lexer.at == '(' ? T_FUNCTION_NAME : T_NAME;
}

static int octal(const char **at)
{
	int value = 0;

	for (int i = 0; i < 3 && **at >= '0' && **at <= '7'; i++)
		value = value * 8 + (*(*at)++ - '0');
	return value;
}

char *unescape(const char *from, size_t length, size_t *result)
{
	static const char letters[] = "abfnrtv", meanings[] = "\a\b\f\n\r\t\v";
	const char *end = from + length;
	char *text = xmalloc(length + 1), *to = text;

	while (from < end) {
		const char *letter;

		if (*from != '\\' || from + 1 == end) {
			*to++ = *from++;
			continue;
		}
		letter = strchr(letters, *++from);
		if (letter && *letter) {
			*to++ = meanings[letter - letters];
			from++;
		} else if (*from >= '0' && *from <= '7') {
			*to++ = octal(&from);
		} else {
			if (*from != '"' && *from != '\\' && *from != '/')
				*to++ = '\\';	/* for a regular expression */
			*to++ = *from++;
		}
	}
	*to = '\0';
	*result = to - text;
	return text;
}

static enum token lex_string(void)
{
	const char *start = ++lexer.at;

	for (; *lexer.at != '"'; lexer.at++) {
		if (*lexer.at == '\\' && lexer.at[1])
			lexer.at++;
		else if (!*lexer.at || *lexer.at == '\n')
			syntax_error("unterminated string");
	}
	lexer.text = unescape(start, lexer.at++ - start, &lexer.length);
	return T_STRING;
}

void lex_regex(void)
{
	const char *start = lexer.at - (lexer.token == T_DIV_ASSIGN);
	bool bracket = false;
	char *to;

	for (lexer.at = start; bracket || *lexer.at != '/'; lexer.at++) {
		if (*lexer.at == '\\' && lexer.at[1])
			lexer.at++;
		else if (!*lexer.at || *lexer.at == '\n')
			syntax_error("unterminated regular expression");
		else if (*lexer.at == '[' && !bracket) {
			bracket = true;
			if (lexer.at[1] == '^')
				lexer.at++;
			if (lexer.at[1] == ']')
				lexer.at++;
		} else if (*lexer.at == ']') {
			bracket = false;
		}
	}
	lexer.text = to = xmalloc(lexer.at - start + 1);
	for (; start < lexer.at; start++)
		if (start[0] != '\\' || start[1] != '/')
			*to++ = *start;
	*to = '\0';
	lexer.length = to - lexer.text;
	lexer.at++;
}

enum token lex_next(void)
{
	skip_blanks();
	lexer.text = NULL;
	if (!*lexer.at)
		return lexer.token = T_END;
	if (*lexer.at == '\n') {
		lexer.at++;
		lexer.line++;
		return lexer.token = T_NEWLINE;
	}
	if (isalpha(*lexer.at) || *lexer.at == '_')
		return lexer.token = lex_name();
	if (*lexer.at == '"')
		return lexer.token = lex_string();
	if (isdigit(*lexer.at) || (*lexer.at == '.' && isdigit(lexer.at[1]))) {
		lexer.at = scan_number(lexer.at, &lexer.number);
		return lexer.token = T_NUMBER;
	}
	for (size_t i = 0; i < COUNT(operators); i++) {
		size_t length = strlen(operators[i].text);

		if (!strncmp(lexer.at, operators[i].text, length)) {
			lexer.at += length;
			return lexer.token = operators[i].meaning;
		}
	}
	syntax_error("unexpected character '%c'", *lexer.at);
}

enum token lex_peek(void)
{
	struct lexer here = lexer;
	enum token token = lex_next();

	free(lexer.text);
	lexer = here;
	return token;
}
