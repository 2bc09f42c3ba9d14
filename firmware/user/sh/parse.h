/* SPDX-License-Identifier: GPL-2.0-only */
/* What the two halves of the parser, parse.c and compound.c, share. */
#ifndef SH_PARSE_H
#define SH_PARSE_H

#include "shell.h"

struct node *new_node(enum node_kind kind);

bool is_keyword(const char *text);
/* The next token as a reserved word, or NULL if it is none. */
const char *peek_keyword(void);
/* Fails with what was found and, if not NULL, what should have been. */
void unexpected(const char *expected) __attribute__((noreturn));
bool accept(enum token_kind kind);
void expect(enum token_kind kind, const char *name);
bool at_keyword(const char *keyword);
bool accept_keyword(const char *keyword);
void expect_keyword(const char *keyword);
/* A ) where no word would be a reserved one. */
void expect_close(void);
void skip_newlines(void);

/* Whether the next token ends a list of commands on several lines. */
bool at_list_end(void);
/* Commands on one or more lines; end is what should follow them, or NULL. */
struct node *parse_list(const char *end);
struct node *parse_command(void);
struct node *parse_compound(void);
struct redirect *parse_redirects(struct redirect **last);

#endif
