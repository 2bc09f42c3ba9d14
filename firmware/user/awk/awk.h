/* SPDX-License-Identifier: GPL-2.0-only */
/* awk: what its parts share. lex and parse make nodes, run and eval follow them. */
#ifndef AWK_AWK_H
#define AWK_AWK_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* value.c: numbers and strings */

struct text {
	int users;
	size_t length;
	char bytes[];			/* and a NUL */
};

enum kind {
	UNSET,				/* both 0 and "" */
	NUMBER,
	STRING,
	STRNUM,				/* from input, and looks like a number */
};

struct value {
	enum kind kind;
	double number;			/* of a STRING: not known */
	struct text *text;		/* of a NUMBER: NULL */
};

struct text *text_new(const char *bytes, size_t length);
struct text *text_room(size_t length);
void text_put(struct text *text);

struct value value_number(double number);
struct value value_text(struct text *text);	/* takes it */
struct value value_string(const char *bytes, size_t length);
/* From a field, getline, or the command line. */
struct value value_input(const char *bytes, size_t length);
struct value value_copy(const struct value *value);
void value_free(struct value *value);
/* *to takes @value, and what it had goes. */
void value_set(struct value *to, struct value value);

double to_number(const struct value *value);
bool to_bool(const struct value *value);
/* The caller puts it; @format: CONVFMT or OFMT. */
struct text *to_text(const struct value *value, const char *format);
struct text *as_text(const struct value *value);	/* by CONVFMT */
/* As < and its like do: by number if neither is a string. */
int value_compare(const struct value *a, const struct value *b);

/* array.c */

struct element {
	struct element *chain;
	struct element *next, *previous;	/* in the order in which they came */
	unsigned long hash;
	struct text *key;
	struct value value;
};

struct array {
	struct element **buckets;
	size_t bucket_count, count;
	struct element *first, *last;
};

struct array *array_new(void);
struct value *array_at(struct array *array, const struct text *key);
bool array_has(const struct array *array, const struct text *key);
void array_delete(struct array *array, const struct text *key);
void array_clear(struct array *array);
void array_free(struct array *array);

/* A variable: what it is shows when it is first used. */
struct cell {
	struct value value;
	struct array *array;
	struct cell *origin;		/* of a parameter: its argument */
	bool borrowed;			/* the array is the caller's */
};

/* nodes */

enum node_kind {
	/* expressions */
	N_CONSTANT, N_REGEX, N_GLOBAL, N_LOCAL, N_FIELD, N_INDEX, N_IN, N_GROUP,
	N_ASSIGN, N_CONDITION, N_AND, N_OR, N_NOT, N_NEGATE, N_PLUS, N_BINARY,
	N_COMPARE, N_MATCH, N_CONCAT, N_BEFORE, N_AFTER, N_CALL, N_BUILTIN,
	N_GETLINE,
	/* statements */
	N_EXPRESSION, N_PRINT, N_PRINTF, N_IF, N_WHILE, N_DO, N_FOR, N_FOR_IN,
	N_BLOCK, N_BREAK, N_CONTINUE, N_NEXT, N_NEXTFILE, N_EXIT, N_RETURN,
	N_DELETE,
};

struct node {
	enum node_kind kind;
	int op;				/* token; of N_GETLINE, N_PRINT: the redirection */
	int number;			/* of a variable, function or builtin */
	int line;
	struct node *a, *b, *c, *d;
	struct node *next;		/* in a list */
	struct value constant;
	struct regex *regex;
};

struct rule {
	enum { RULE_BEGIN, RULE_END, RULE_ALWAYS, RULE_PATTERN, RULE_RANGE } kind;
	struct node *from, *to;
	struct node *action;		/* NULL: print */
	bool in_range;
	struct rule *next;
};

struct function {
	char *name;
	int line;			/* of its first use; 0 once defined */
	bool defined;
	int parameter_count;
	char **parameters;
	struct node *body;
};

struct program {
	struct rule *rules;
	struct function *functions;
	int function_count;
};

extern struct program program;

/* lex.c */

enum token {
	T_END, T_NEWLINE, T_NUMBER, T_STRING, T_NAME, T_FUNCTION_NAME, T_BUILTIN,
	T_BEGIN, T_END_RULE, T_FUNCTION, T_IF, T_ELSE, T_WHILE, T_FOR, T_DO,
	T_BREAK, T_CONTINUE, T_NEXT, T_NEXTFILE, T_EXIT, T_RETURN, T_DELETE, T_IN,
	T_GETLINE, T_PRINT, T_PRINTF,
	T_LBRACE, T_RBRACE, T_LPAREN, T_RPAREN, T_LBRACKET, T_RBRACKET, T_SEMICOLON,
	T_COMMA, T_PLUS, T_MINUS, T_STAR, T_SLASH, T_PERCENT, T_POWER, T_NOT,
	T_GREATER, T_LESS, T_PIPE, T_QUESTION, T_COLON, T_MATCH, T_NO_MATCH,
	T_DOLLAR, T_ASSIGN, T_ADD_ASSIGN, T_SUB_ASSIGN, T_MUL_ASSIGN,
	T_DIV_ASSIGN, T_MOD_ASSIGN, T_POW_ASSIGN, T_EQUAL, T_LESS_EQUAL,
	T_GREATER_EQUAL, T_NOT_EQUAL, T_INCREMENT, T_DECREMENT, T_AND, T_OR,
	T_APPEND,
};

enum builtin {
	B_LENGTH, B_SUBSTR, B_INDEX, B_SPLIT, B_SUB, B_GSUB, B_MATCH, B_SPRINTF,
	B_SIN, B_COS, B_ATAN2, B_EXP, B_LOG, B_SQRT, B_INT, B_RAND, B_SRAND,
	B_TOLOWER, B_TOUPPER, B_SYSTEM, B_CLOSE, B_FFLUSH,
};

struct lexer {
	const char *at;
	int line;
	enum token token;
	int builtin;
	double number;
	char *text;			/* of a name or string; the parser's */
	size_t length;
};

extern struct lexer lexer;

void lex_start(const char *source);
enum token lex_next(void);
/* The token is / or /=, and what is meant is a regular expression. */
void lex_regex(void);
enum token lex_peek(void);
void syntax_error(const char *format, ...) PRINTF(1, 2) __attribute__((noreturn));
/* What stands for a character after a backslash in a string. */
char *unescape(const char *from, size_t length, size_t *result);

/* parse.c, parse_expression.c */

void parse_program(const char *source);
struct node *parse_expression(void);
/* Of print: > and | end an expression that is in no parentheses. */
struct node *parse_print_expression(void);
struct node *parse_list(enum token end);
struct node *node_new(enum node_kind kind);
/* The variable of a name, where the parser is. */
struct node *variable_node(const char *name);
int function_number(const char *name);
void expect(enum token token, const char *what);
bool accept(enum token token);
void skip_newlines(void);

/* variables.c */

enum special {
	V_NF, V_NR, V_FNR, V_FS, V_OFS, V_ORS, V_RS, V_SUBSEP, V_CONVFMT, V_OFMT,
	V_RSTART, V_RLENGTH, V_FILENAME, V_ENVIRON, V_ARGC, V_ARGV, V_COUNT,
};

int global_number(const char *name);
struct cell *global(int number);
void variables_init(char **arguments, int count);
/* NAME=VALUE of the command line; false if it is none. */
bool assign_argument(const char *text);
struct array *cell_array(struct cell *cell);
struct value *cell_value(struct cell *cell);
/* As text, until the next call for the same one. */
const char *special_text(enum special which);
void set_special(enum special which, double number);

/* record.c: $0 and its fields */

void record_set(const char *bytes, size_t length);
const struct value *field_get(int number);
void field_set(int number, struct value value);
int field_count(void);
void field_count_set(int count);
/* Splits as FS says; "" as @separator: into characters. */
int split_into(const char *bytes, size_t length, struct node *regex,
	       const char *separator,
	       void (*add)(void *to, const char *bytes, size_t length), void *to);

/* stream.c */

enum redirection { TO_STDOUT, TO_FILE, TO_APPEND, TO_PIPE };

/* A record of the main input; false at its end. */
bool next_record(char **bytes, size_t *length);
void skip_file(void);
FILE *output_stream(enum redirection how, const char *name);
/* 1: a record, 0: the end, -1: an error. */
int read_record(FILE *from, char **bytes, size_t *length);
FILE *input_stream(bool command, const char *name);
int stream_close(const char *name);
int streams_flush(const char *name);
int streams_close(void);
void check_output(FILE *f, const char *name);
int run_system(const char *command);

/* eval.c, call.c, builtin.c, substitute.c, getline.c */

struct value eval(struct node *node);
double eval_number(struct node *node);
bool eval_bool(struct node *node);
struct text *eval_text(struct node *node);
struct value assign(struct node *target, struct value value);
struct array *eval_array(struct node *node);
/* The subscript of a list of expressions. */
struct text *eval_key(struct node *list);
struct cell *local_cell(int number);
struct value call_function(struct node *node);
void forget_calls(void);		/* none is running any more */
struct value call_builtin(struct node *node);
struct value substitute(struct node *argument, bool all);
struct value eval_getline(struct node *node);
/* The regular expression that a node means: its own, or what its value says. */
struct regex *eval_regex(struct node *node);
struct regex *dynamic_regex(const char *source, size_t length);

/* run.c */

enum outcome { GOES_ON, BREAKS, CONTINUES, RETURNS, NEXT, NEXTFILE, EXITS };

enum outcome run(struct node *list);
extern struct value returned;
extern int exit_status;
int run_program(void);
void fatal(const char *format, ...) PRINTF(1, 2) __attribute__((noreturn));
/* From within a function: the record, or all, is over. */
void leave(enum outcome how) __attribute__((noreturn));

/* format.c, number.c, math.c */

struct text *format_values(const struct text *format, struct value *values,
			   int count);
struct text *format_number(const char *format, double number);
/* Where the number ends; text itself if it begins with none. */
const char *scan_number(const char *text, double *number);

struct decimal {
	char digits[1100];		/* without a NUL */
	int count;
	int point;			/* digits before it; may be negative */
};

/* @number, finite and not negative, in full. */
void to_decimal(double number, struct decimal *decimal);
/* Leaves @count digits, rounded, ties to even. */
void round_decimal(struct decimal *decimal, int count);

bool is_nan(double x);
bool is_infinite(double x);
double truncated(double x);
double square_root(double x);
double exponential(double x);
double logarithm(double x);
double sine(double x);
double cosine(double x);
double arc_tangent(double y, double x);
double power(double base, double exponent);
double remainder_of(double x, double y);

#endif
