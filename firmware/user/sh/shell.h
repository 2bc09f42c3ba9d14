/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of the shell know of each other. */
#ifndef SH_SHELL_H
#define SH_SHELL_H

#include <stdio.h>
#include <sys/types.h>

#include "arena.h"
#include "node.h"

/* main.c: the shell as a whole. */

struct shell {
	const char *name;		/* $0 */
	pid_t pid;			/* $$: also in subshells the first's */
	int status;			/* $? */
	pid_t background;		/* $!, 0 if there was none */
	int line;			/* of the command being run */
	const char *builtin;		/* the one that runs, for messages */
	bool interactive;
	bool child;			/* a subshell: an error ends it */
};

extern struct shell shell;
/* Syntax trees; and what the command being run needs for now. */
extern struct arena tree_arena, temp_arena;

/* Parses and runs the input that was pushed last, and pops it. */
int run_input(void);

/* error.c: messages as "sh: 1: MESSAGE", "sh: 1: cd: MESSAGE". */

#define STATUS_ERROR		2
#define STATUS_NOT_EXECUTABLE	126
#define STATUS_NOT_FOUND	127

void complain(const char *format, ...) PRINTF(1, 2);
/* Ends the command line: the whole shell, unless it is interactive. */
void fail(const char *format, ...) PRINTF(1, 2) __attribute__((noreturn));
void syntax_error(const char *format, ...)
	PRINTF(1, 2) __attribute__((noreturn));
/* Goes on at recover() in an interactive shell, exits from any other. */
void abandon(int status) __attribute__((noreturn));

extern void *recovery[5];		/* for __builtin_setjmp() */

/* input.c: where the characters of commands come from. */

#define INPUT_END	(-1)

enum prompt {
	PROMPT_COMMAND,
	PROMPT_CONTINUE,
};

struct input {
	const char *text;		/* what is left of it, or NULL: read fd */
	int fd;
	int line;
	bool by_byte;			/* read no further than the command */
	bool prompting;
	bool line_start;
	bool ended;
	enum prompt prompt;
	int unread[2];			/* characters given back */
	int unread_count;
	char *buffer;
	size_t position;
	size_t length;
	struct input *outer;
};

extern struct input *input;		/* the one that is read now */

void input_push_text(struct input *in, const char *text);
void input_push_fd(struct input *in, int fd, bool by_byte, bool prompting);
void input_pop(void);
void input_next_prompt(enum prompt prompt);
int input_char(void);
void input_unread(int c);
/* Takes the next character if it is c. */
bool input_accept(int c);

/* lex.c: characters into tokens. */

enum token_kind {
	TOKEN_END,
	TOKEN_NEWLINE,
	TOKEN_WORD,
	TOKEN_REDIRECT,
	TOKEN_SEMICOLON,
	TOKEN_DOUBLE_SEMICOLON,
	TOKEN_AMPERSAND,
	TOKEN_AND,
	TOKEN_PIPE,
	TOKEN_OR,
	TOKEN_OPEN,
	TOKEN_CLOSE,
};

struct token {
	enum token_kind kind;
	struct word *word;
	enum redirect_kind redirect;
	int fd;				/* of a redirection */
};

/* The next token, which stays the next until it is taken. */
const struct token *peek_token(void);
struct token take_token(void);
/* Forgets the token peeked at, when a line is given up. */
void lexer_reset(void);
/* The text of a word that is one unquoted piece of text, or NULL. */
const char *plain_text(const struct word *word);
bool is_name(const char *text);
/* How many characters at the start of text can be a name. */
size_t name_length(const char *text);

/* parse.c: tokens into trees. */

/* One line of commands; NULL if it is empty. *end: there was none any more. */
struct node *parse_line(bool *end);
/* The list inside $(...), up to and with the ); NULL if it is empty. */
struct node *parse_substitution(void);
/* All of a text, for `...`. */
struct node *parse_text(const char *text);

/* expand.c: words into strings, which live in temp_arena. */

struct strings {
	char **items;			/* with a NULL after the last */
	size_t count;
	size_t room;
};

void strings_add(struct strings *list, char *item);
/* With splitting into fields and expansion of file names. */
void expand_words(const struct word *words, struct strings *into);
/* As one string. */
char *expand_string(const struct word *word);
/* As one pattern: characters that were quoted follow a backslash. */
char *expand_pattern(const struct word *word);

/* pattern.c, glob.c: *, ?, [...]. */

bool pattern_match(const char *pattern, const char *text);
bool pattern_is_magic(const char *pattern);
/* In place. */
void pattern_unescape(char *pattern);
/* Adds the files that match, sorted; false if there are none. */
bool glob(const char *pattern, struct strings *into);

/* vars.c: variables and positional parameters. */

struct parameters {
	char **items;
	int count;
};

extern struct parameters parameters;

void vars_import(char **environment);
const char *var_get(const char *name);
void var_set(const char *name, const char *value);	/* NULL: unset */
bool var_exported(const char *name);
void var_export(const char *name, bool exported);
/* "name=value" of those exported, for execve(). */
char **vars_environment(void);
/* As commands that set them again. */
void vars_print(bool exported);
/* Copies the items; what was set before is the caller's to keep or free. */
void parameters_set(char **items, int count);
void parameters_free(struct parameters *old);
void function_set(const char *name, const struct node *body);
const struct node *function_get(const char *name);
void function_unset(const char *name);

/* redirect.c. */

struct saved_fd;

/*
 * Says what is wrong and returns false if a file cannot be had. With save, what
 * the descriptors were can be had back by undoing to an earlier mark.
 */
bool redirect(const struct redirect *redirects, bool save);
struct saved_fd *redirect_mark(void);
void redirect_undo(struct saved_fd *mark);
/* Out of the way of redirections: 10 or more, closed by execve(). */
int move_fd_up(int fd);

/* jobs.c: children. */

/* As fork(), the child set up as a subshell; if it fails, so does the line. */
pid_t fork_shell(void);
/* Waits for a child; returns its exit status, 127 if there is no such child. */
int job_wait(pid_t pid);
void jobs_wait_all(void);

/* exec.c, simple.c: run trees. */

enum jump {
	JUMP_NONE,
	JUMP_BREAK,
	JUMP_CONTINUE,
	JUMP_RETURN,
};

/* A break, continue or return under way, to be seen by what it leaves. */
struct control {
	enum jump jump;
	int levels;			/* loops yet to leave */
	int loops;			/* loops we are in */
};

extern struct control control;

/* last: this process has nothing to do afterwards, and may become another. */
int run_node(const struct node *node, bool last);
int run_simple(const struct node *node, bool last);
/* For a child: runs the node and exits. */
void run_and_exit(const struct node *node) __attribute__((noreturn));
/* What $(...) gave, of the command that is being expanded. */
extern int substitution_status;

/* command.c: finds the program argv[0] and becomes it. */
void execute(char **argv) __attribute__((noreturn));

/* builtins.c. */

struct builtin {
	const char *name;
	bool special;			/* assignments stay, errors end */
	int (*run)(int argc, char **argv);
};

const struct builtin *find_builtin(const char *name);

#endif
