/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of the shell know of each other. */
#ifndef SH_SHELL_H
#define SH_SHELL_H

#include <setjmp.h>
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
	bool child;			/* a subshell */
	bool recovers;			/* an error does not end it */
};

extern struct shell shell;
/* Syntax trees; and what the command being run needs for now. */
extern struct arena tree_arena, temp_arena;

/* Parses and runs the input that was pushed last, and pops it. */
int run_input(void);

/* options.c: what set -e and its like switch. */

struct options {
	bool exit_on_error;		/* -e */
	bool no_files;			/* -f: no file names from patterns */
	bool no_execution;		/* -n */
	bool unset;			/* -u: one that is not set is an error */
	bool trace;			/* -x */
	bool export_all;		/* -a */
	bool no_clobber;		/* -C */
	bool verbose;			/* -v */
};

extern struct options options;

/*
 * Does what a letter of words[0] says, which begins with - or +; an o is followed
 * by a name, or shows them all. Returns how many of the next words it took.
 */
int options_take(char **words, const char *letter);
/* What $- is, with the letters of those that are on. */
const char *option_letters(void);

/* trap.c. */

/* Ends this process, after the command of trap ... EXIT. */
void shell_exit(int status) __attribute__((noreturn));
/* In a subshell: what was trapped is no more. */
void traps_reset(void);
/*
 * From before a fork until traps_reset() the child's signals wait, for those
 * that the shell ignores would be lost.
 */
void traps_hold(void);
void traps_release(void);
/* Whether the shell must be there when what it runs has ended. */
bool traps_set(void);
/* Runs the commands of signals that have come; after ^C, abandon_line(). */
void traps_run(void);
/* The signal that came while a builtin waited, or 0. */
int trap_pending(void);
/* From now on the shell survives what is typed at its terminal. */
void traps_guard(void);
/* Whether there was a ^C since traps_run(). */
bool interrupt_pending(void);
/* Whether there was one that no trap is for. */
bool interrupted(void);
/* abandon_line(), if interrupted(). */
void interrupt_check(void);
int run_trap(int argc, char **argv);

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
/* ^C: goes on with the next command line, whatever it leaves. */
void abandon_line(void) __attribute__((noreturn));

/*
 * Where to go on after an error, in what it does not end. Inputs that began
 * since are on the stack, and thus popped before the jump.
 */
struct failure {
	jmp_buf back;
	struct input *input;
	int status;
	struct failure *outer;
};

extern struct failure *failure;
extern void *recovery[5];		/* for __builtin_setjmp() */
extern struct input *recovery_input;

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
	const char *alias;		/* whose text this is, or NULL */
	struct input *outer;
};

extern struct input *input;		/* the one that is read now */

void input_push_text(struct input *in, const char *text);
void input_push_fd(struct input *in, int fd, bool by_byte, bool prompting);
/* The text of this alias comes next; false: there is none, or it is read now. */
bool input_push_alias(const char *name);
/* Whether an alias has ended since this was asked that wants the next word. */
bool input_alias_ended(void);
void input_pop(void);
void input_pop_until(const struct input *outer);
/* What is left of a line from the terminal is not read. */
void input_discard_line(void);
void input_next_prompt(enum prompt prompt);
/* After its end: a terminal can have several. */
void input_go_on(void);
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
	bool after_alias;		/* that ended in a blank: may be one, too */
};

/* The next token, which stays the next until it is taken. */
const struct token *peek_token(void);
struct token take_token(void);
/* heredoc.c: the text after << is read at the next newline. */

void heredoc_expect(struct redirect *redirect, const struct word *delimiter);
void heredoc_read_all(void);
void heredoc_forget(void);
/* What is expected now, kept aside while another text is parsed. */
struct heredoc *heredoc_put_aside(void);
void heredoc_bring_back(struct heredoc *expected);

/* Puts the text of an alias in the place of a word that is one. */
void expand_aliases(bool begins_command);
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

/* alias.c. */

/* The text that an alias stands for, or NULL if it is none. */
const char *alias_get(const char *name);
/* As the command that makes it one, but for the word alias. */
void alias_print(const char *name, const char *text);

/* expand.c: words into strings, which live in temp_arena. */

struct strings {
	char **items;			/* with a NULL after the last */
	size_t count;
	size_t room;
};

void strings_add(struct strings *list, char *item);
/*
 * With splitting into fields and expansion of file names, but with declares not
 * of words that are NAME=VALUE.
 */
void expand_words(const struct word *words, bool declares,
		  struct strings *into);
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

/* arith.c: the value of $((text)). */

long arithmetic(const char *text);

/* vars.c: variables and positional parameters. */

struct parameters {
	char **items;
	int count;
};

extern struct parameters parameters;

void vars_import(char **environment);
const char *var_get(const char *name);
/* NULL: unset. A variable that is read only is an error. */
void var_set(const char *name, const char *value);
void var_readonly(const char *name);
/* What is made local from a mark on is as before after the restoring. */
struct local;
void var_local(const char *name);
void parameters_local(char **items, int count);
struct local *locals_mark(void);
void locals_restore(struct local *mark);
void var_export(const char *name, bool exported);
/* "name=value" of those exported, for execve(). */
char **vars_environment(void);
/* Quoted so that a shell reads the same value again. */
void print_quoted(const char *value);
/* As commands that set them again. */
enum listing {
	LIST_ALL,
	LIST_EXPORTED,
	LIST_READONLY,
};

void vars_print(enum listing which);
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
/* Where what it was at the mark is now. */
int redirect_original(int fd, const struct saved_fd *mark);
/* Out of the way of redirections: 10 or more, closed by execve(). */
int move_fd_up(int fd);

/* terminal.c: an interactive shell, and which of its jobs has the terminal. */

void terminal_init(void);
bool terminal_is_ours(void);
/* The children from now on are one job: the node's. */
void job_begin(const struct node *node, bool background);
/* It has ended or stopped, or was left behind; group 0: as it was begun. */
void job_end(int status, pid_t group);
void job_enter(void);
/*
 * In one in the background. If it has no group of its own (true), what ^C sends
 * to all is not for it, nor is what is typed.
 */
bool job_detach(void);
pid_t job_add(pid_t pid);
void terminal_give(pid_t group);

/* jobs.c: children. */

/* The children from now on belong to a job; text NULL: nobody will list it. */
void jobs_begin(char *text);
void jobs_begun(void);
void jobs_poll(void);
/* As fork(), the child set up as a subshell; if it fails, so does the line. */
pid_t fork_shell(void);
/* Waits for a child; returns its exit status, 127 if there is no such child. */
int job_wait(pid_t pid);
/* Whether SIGINT killed the child that was waited for last. */
bool job_was_interrupted(void);
/* All of them; 128 and more: the signal that ended the waiting. */
int jobs_wait_all(void);

/* joblist.c. */
bool job_is_stopped(pid_t group);
/* Whoever leaves jobs that have stopped is told so, and stays for the first time. */
bool jobs_keep_shell(void);
void jobs_command_done(void);
/* Jobs that have stopped or ended since; these are forgotten. */
void jobs_show_changed(void);

/* nodetext.c: what the node was written as, more or less; to be freed. */
char *node_text(const struct node *node);

/* trace.c: set -x, and prompts. */

/* The variable's value, in which there are parameters and commands. */
const char *expand_prompt(const char *name, const char *otherwise);
void trace_begin(void);
/* A word of the command; or an assignment, if there is a value. */
void trace_word(const char *name, const char *value);
/* Shows all of it, where errors went at the mark. */
void trace_end(const struct strings *words, struct saved_fd *mark);

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
	int functions;			/* and functions */
	int files;			/* and files read by . */
	int tested;			/* conditions: a failure is no error */
};

extern struct control control;

/* last: this process has nothing to do afterwards, and may become another. */
int run_node(const struct node *node, bool last);
int run_simple(const struct node *node, bool last);
/* For a child: runs the node and exits. */
void run_and_exit(const struct node *node) __attribute__((noreturn));
/* What $(...) gave, of the command that is being expanded. */
extern int substitution_status;

/* Runs words that are expanded, as command does: functions do not count. */
int run_command_words(int argc, char **argv);

/* Where programs are, if the environment does not say. */
#define DEFAULT_PATH	"/bin"

/*
 * binary.c: why an open file that cannot be executed is no script either, for
 * BINARY_ERROR after its path; NULL: it may be one.
 */
#define BINARY_ERROR	"%s: cannot execute binary file: %s"
const char *binary_error(int fd);

/* command.c: finds the program argv[0] and becomes it. */
void execute(char **argv) __attribute__((noreturn));
/* The next folder of *path, with name in it; an empty one means this one. */
char *next_candidate(const char **path, const char *name);
/* The file in PATH, in temp_arena; NULL: there is none. */
char *find_program(const char *name);

/* builtins.c. */

struct builtin {
	const char *name;
	bool special;			/* assignments stay, errors end */
	int (*run)(int argc, char **argv);
};

const struct builtin *find_builtin(const char *name);
/* The commands of builtins.c's table that are elsewhere. */
int run_export(int argc, char **argv);
int run_readonly(int argc, char **argv);
int run_local(int argc, char **argv);
int run_unset(int argc, char **argv);
int run_set(int argc, char **argv);
int run_shift(int argc, char **argv);
int run_getopts(int argc, char **argv);
int run_read(int argc, char **argv);
int run_cd(int argc, char **argv);
int run_pwd(int argc, char **argv);
int run_umask(int argc, char **argv);
int run_ulimit(int argc, char **argv);
int run_alias(int argc, char **argv);
int run_unalias(int argc, char **argv);
int run_jobs(int argc, char **argv);
int run_fg(int argc, char **argv);
int run_bg(int argc, char **argv);
int run_wait(int argc, char **argv);
int run_kill(int argc, char **argv);
int run_hash(int argc, char **argv);
int run_type(int argc, char **argv);
int run_command(int argc, char **argv);
/* folder.c: what $PWD is to begin with. */
void folder_init(void);

#endif
