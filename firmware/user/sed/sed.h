/* SPDX-License-Identifier: GPL-2.0-only */
/* What a sed script is once it has been read, and what its parts share. */
#ifndef SED_SED_H
#define SED_SED_H

#include <regex.h>
#include <stdbool.h>
#include <stdio.h>

/* Exit statuses. */
#define STATUS_SCRIPT		1	/* an invalid script or option */
#define STATUS_INPUT		2	/* a file that cannot be read */
#define STATUS_FAILED		4	/* one that cannot be written */

/* main.c: what the options say. */

struct options {
	bool quiet;		/* -n */
	bool unbuffered;	/* -u: what is written before more is read */
	bool separate;		/* -s: $ and numbers are of each file */
	const char *suffix;	/* -i: files change; what backups end with */
	int regex_flags;	/* -E: REGEX_EXTENDED */
	long line_length;	/* -l: where the l command folds; 0: nowhere */
	char newline;		/* what ends lines: -z: 0 */
};

extern struct options options;

/* text.c: bytes, and lines of them. */

/* Bytes that grow; a NUL follows them that is not counted. */
struct text {
	char *bytes;
	size_t length;
	size_t size;
	bool newline;		/* of a line: one follows it in the file */
};

void text_append(struct text *to, const char *bytes, size_t length);
void text_append_char(struct text *to, char c);
void text_copy(struct text *to, const struct text *from);
void text_swap(struct text *a, struct text *b);
/* Takes bytes away from the start. */
void text_drop(struct text *text, size_t length);

/* reader.c: the characters of a script. */

struct script {
	const char *text;
	const char *at;
	const char *file;	/* NULL: it was an argument */
	int number;		/* of that argument */
};

void invalid(const struct script *script, const char *format, ...)
	PRINTF(2, 3) __attribute__((noreturn));
/* The next character is what is wrong, and counts. */
void unexpected(struct script *script, const char *format, ...)
	PRINTF(2, 3) __attribute__((noreturn));
void skip_blanks(struct script *script);
unsigned long read_count(struct script *script);
/*
 * Up to the delimiter, which is taken; where a backslash precedes it, and in
 * brackets, it is an ordinary character. NULL if the script ends before.
 */
char *read_delimited(struct script *script, char delimiter, bool regex);
/* Up to what ends a label; NULL: there is none. */
char *read_label(struct script *script);
/* The rest of the line. */
char *read_file_name(struct script *script);
/* What a, i and c put out; false: the next script, after a newline, has it. */
bool read_text(struct script *script, struct text *text);
/* What follows a\ at the end of a script is the first line of the next. */
void read_text_line(struct script *script, struct text *text);
/* An empty expression stands for the one used last: NULL. */
struct regex *read_regex(const struct script *script, const char *text,
			 int flags);
/*
 * The byte that the escape sequence at this backslash means, and moves past it;
 * -1: it has no such meaning.
 */
int read_escape(const char **at);

/* address.c: which lines a command is for. */

enum address_kind {
	ADDRESS_NONE,
	ADDRESS_LINE,
	ADDRESS_STEP,		/* first~step */
	ADDRESS_LAST,		/* $ */
	ADDRESS_REGEX,
	ADDRESS_PLUS,		/* +N: so many more lines */
	ADDRESS_MULTIPLE,	/* ~N: to the next multiple */
};

struct address {
	enum address_kind kind;
	unsigned long line;
	unsigned long step;
	struct regex *regex;	/* NULL: the one used last */
};

struct range {
	struct address from;
	struct address to;
	bool negated;
	bool inside;		/* between from and to */
	unsigned long end;	/* the line that ends it, if that is known */
};

void read_range(struct script *script, struct range *range);
bool range_selects(struct range *range);
/* For another file whose lines are counted from 1. */
void range_reset(struct range *range);

/* substitute.c: s and y. */

struct substitution;

struct substitution *read_substitution(struct script *script);
/* True if something was replaced. */
bool substitute(const struct substitution *s);
unsigned char *read_map(struct script *script);

/* script.c: commands. */

struct command {
	struct range range;
	char name;
	long number;			/* q, Q: status; l: length, -1: none */
	struct text text;		/* a, i, c; name of file or label */
	struct substitution *substitution;
	struct output *output;		/* w, W */
	unsigned char *map;		/* y */
	struct command *target;		/* b, t, T; {: its }; NULL: the end */
	struct command *next;
};

/* Adds a script, which is the number-th argument, or a file's text. */
void add_script(const char *text, int number, const char *file);
/* After all scripts: the first command, with all jumps known. */
struct command *finish_script(void);

/* output.c: files that are written, and what waits for the end of a cycle. */

struct output;

extern struct output *output;	/* where lines go */

/* By its name, opened once; for lines, NULL is standard output. */
struct output *open_output(const char *path);
/* The same, to a stream that somebody else opens and closes. */
struct output *stream_output(FILE *stream);
void put_bytes(struct output *to, const char *bytes, size_t length);
void put_line(struct output *to, const char *line, size_t length, bool newline);
void put_listed(struct output *to, const struct text *line, long width);
void queue_text(const struct text *text);
void queue_file(const char *path);
void write_queue(void);
void finish_output(void);

/* input.c: lines of all files. */

extern struct text space, hold;	/* the pattern space and the hold space */
extern unsigned long line_number;

void open_input(char **files, struct command *script);
/* Is this the last line? */
bool at_end(void);
/* The next line, added to the pattern space or in its place. */
bool next_line(bool add);
/* "-" for standard input. */
const char *input_name(void);
/* 2 if a file could not be read. */
int close_input(void);

/* run.c. */

int run_script(struct command *script);
bool search(const struct regex *regex, size_t from,
	    struct match matches[REGEX_GROUPS]);

#endif
