/* SPDX-License-Identifier: GPL-2.0-only */
/* Characters into tokens; the inside of words is word.c's. */
#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

#include "shell.h"
#include "word.h"

static struct token held;
static bool has_held;

static struct token token(enum token_kind kind)
{
	return (struct token) { .kind = kind };
}

/* fd is the number before the operator, or -1. */
static struct token lex_redirect(int c, int fd)
{
	struct token token = { .kind = TOKEN_REDIRECT };

	if (c == '<') {
		token.redirect = input_accept('&') ? REDIRECT_DUP_INPUT :
				 input_accept('>') ? REDIRECT_BOTH :
				 input_accept('<') ? REDIRECT_HERE :
						     REDIRECT_INPUT;
		if (token.redirect == REDIRECT_HERE && input_accept('-'))
			token.redirect = REDIRECT_HERE_TABS;
		token.fd = STDIN_FILENO;
	} else {
		token.redirect = input_accept('&') ? REDIRECT_DUP_OUTPUT :
				 input_accept('>') ? REDIRECT_APPEND :
						REDIRECT_OUTPUT;
		if (token.redirect == REDIRECT_OUTPUT && input_accept('|'))
			token.redirect = REDIRECT_CLOBBER;
		token.fd = STDOUT_FILENO;
	}
	if (fd >= 0)
		token.fd = fd;
	return token;
}

/* A word; or, if it is a number just before < or >, a redirection. */
static struct token lex_word_or_redirect(void)
{
	struct token token = { .kind = TOKEN_WORD, .word = lex_word() };
	const char *text = plain_text(token.word);
	long fd = text ? parse_number(text) : -1;
	int c;

	if (fd < 0)
		return token;
	c = input_char();
	if (c == '<' || c == '>')
		return lex_redirect(c, fd);
	input_unread(c);
	return token;
}

static void skip_comment(void)
{
	int c;

	do {
		c = input_char();
	} while (c != '\n' && c != INPUT_END);
	input_unread(c);
}

/* The first character that belongs to a token. */
static int skip_blanks(void)
{
	for (;;) {
		int c = input_char();

		if (c == '#') {
			skip_comment();
		} else if (c == '\\') {
			if (!input_accept('\n'))
				return c;
		} else if (!isblank(c)) {
			return c;
		}
	}
}

static struct token lex(void)
{
	int c = skip_blanks();

	switch (c) {
	case INPUT_END:
		heredoc_read_all();
		return token(TOKEN_END);
	case '\n':
		heredoc_read_all();
		return token(TOKEN_NEWLINE);
	case ';':
		return token(input_accept(';') ? TOKEN_DOUBLE_SEMICOLON :
					    TOKEN_SEMICOLON);
	case '&':
		return token(input_accept('&') ? TOKEN_AND : TOKEN_AMPERSAND);
	case '|':
		return token(input_accept('|') ? TOKEN_OR : TOKEN_PIPE);
	case '(':
		return token(TOKEN_OPEN);
	case ')':
		return token(TOKEN_CLOSE);
	case '<':
	case '>':
		return lex_redirect(c, -1);
	default:
		input_unread(c);
		return lex_word_or_redirect();
	}
}

const struct token *peek_token(void)
{
	if (!has_held) {
		input_alias_ended();
		held = lex();
		held.after_alias = input_alias_ended();
		has_held = true;
	}
	return &held;
}

struct token take_token(void)
{
	struct token token = *peek_token();

	has_held = false;
	return token;
}

void expand_aliases(bool begins_command)
{
	for (;;) {
		const struct token *token = peek_token();
		const char *name = token->kind == TOKEN_WORD ?
				   plain_text(token->word) : NULL;

		if (!name || !(begins_command || token->after_alias) ||
		    !input_push_alias(name))
			return;
		take_token();
		begins_command = true;
	}
}

void lexer_reset(void)
{
	has_held = false;
	heredoc_forget();
}
