/* SPDX-License-Identifier: GPL-2.0-only */
/* Statements, and the rules one record after another. */
#include <err.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "awk.h"

struct value returned;
int exit_status;

static jmp_buf out_of_function;
static enum outcome left_by;
static int line;			/* of the statement that runs */

void fatal(const char *format, ...)
{
	char message[300];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	fflush(stdout);
	if (line)
		errx(2, "line %d: %s", line, message);
	errx(2, "%s", message);
}

void leave(enum outcome how)
{
	forget_calls();
	left_by = how;
	longjmp(out_of_function, 1);
}

#define MOST_PRINTED	64

/* Evaluated before anything is printed: it may print, too. */
static int printed_texts(struct node *node, struct text *texts[MOST_PRINTED])
{
	int count = 0;

	if (node->kind == N_PRINTF) {
		struct value value = call_builtin(&(struct node){
			.kind = N_BUILTIN, .number = B_SPRINTF, .a = node->a });

		texts[0] = as_text(&value);
		value_free(&value);
		return 1;
	}
	if (!node->a) {
		texts[0] = as_text(field_get(0));
		return 1;
	}
	for (struct node *at = node->a; at; at = at->next) {
		struct value value = eval(at);

		if (count == MOST_PRINTED)
			fatal("print has too many expressions");
		texts[count++] = to_text(&value, special_text(V_OFMT));
		value_free(&value);
	}
	return count;
}

static void print(struct node *node)
{
	struct text *name = node->b ? eval_text(node->b) : NULL;
	const char *path = name ? name->bytes : "standard output";
	struct text *texts[MOST_PRINTED];
	int count = printed_texts(node, texts);
	FILE *to = output_stream(node->op, path);

	for (int i = 0; i < count; i++) {
		if (i)
			fputs(special_text(V_OFS), to);
		fwrite(texts[i]->bytes, 1, texts[i]->length, to);
		text_put(texts[i]);
	}
	if (node->kind == N_PRINT)
		fputs(special_text(V_ORS), to);
	check_output(to, path);
	text_put(name);
}

/* BREAKS and CONTINUES end here; what else ends the loop goes on outwards. */
static bool ends_loop(enum outcome *outcome)
{
	if (*outcome == BREAKS) {
		*outcome = GOES_ON;
		return true;
	}
	if (*outcome == CONTINUES)
		*outcome = GOES_ON;
	return *outcome != GOES_ON;
}

static enum outcome run_loop(struct node *node)
{
	struct node *condition = node->kind == N_FOR ? node->b : node->a;
	struct node *body = node->kind == N_FOR ? node->d : node->b;
	enum outcome outcome = GOES_ON;

	if (node->kind == N_FOR && node->a)
		run(node->a);
	if (node->kind != N_DO && condition && !eval_bool(condition))
		return GOES_ON;
	do {
		outcome = run(body);
		if (ends_loop(&outcome))
			return outcome;
		if (node->kind == N_FOR && node->c)
			run(node->c);
	} while (!condition || eval_bool(condition));
	return GOES_ON;
}

/* Over the elements that there are at the start. */
static enum outcome run_for_in(struct node *node)
{
	struct array *array = eval_array(node->b);
	size_t count = array->count, n = 0;
	struct text **keys = xmalloc((count + 1) * sizeof(*keys));
	enum outcome outcome = GOES_ON;
	bool ended = false;

	for (struct element *e = array->first; e; e = e->next) {
		e->key->users++;
		keys[n++] = e->key;
	}
	for (size_t i = 0; i < count; i++) {
		struct value key;

		if (!ended && array_has(array, keys[i])) {
			key = assign(node->a, value_input(keys[i]->bytes,
							  keys[i]->length));
			value_free(&key);
			outcome = run(node->d);
			ended = ends_loop(&outcome);
		}
		text_put(keys[i]);
	}
	free(keys);
	return outcome;
}

static void run_delete(struct node *node)
{
	struct text *key;

	if (node->a->kind != N_INDEX) {
		array_clear(eval_array(node->a));
		return;
	}
	key = eval_key(node->a->b);
	array_delete(eval_array(node->a->a), key);
	text_put(key);
}

static enum outcome run_one(struct node *node)
{
	struct value value;

	line = node->line;
	switch (node->kind) {
	case N_EXPRESSION:
		value = eval(node->a);
		value_free(&value);
		return GOES_ON;
	case N_PRINT:
	case N_PRINTF:
		print(node);
		return GOES_ON;
	case N_IF:
		if (eval_bool(node->a))
			return run(node->b);
		return node->c ? run(node->c) : GOES_ON;
	case N_WHILE:
	case N_DO:
	case N_FOR:
		return run_loop(node);
	case N_FOR_IN:
		return run_for_in(node);
	case N_BLOCK:
		return run(node->a);
	case N_BREAK:
		return BREAKS;
	case N_CONTINUE:
		return CONTINUES;
	case N_NEXT:
		return NEXT;
	case N_NEXTFILE:
		return NEXTFILE;
	case N_EXIT:
		if (node->a)
			exit_status = (int)eval_number(node->a);
		return EXITS;
	case N_RETURN:
		value = node->a ? eval(node->a) : (struct value){ .kind = UNSET };
		value_set(&returned, value);
		return RETURNS;
	case N_DELETE:
		run_delete(node);
		return GOES_ON;
	default:
		fatal("an expression is no statement");
	}
}

enum outcome run(struct node *list)
{
	enum outcome outcome = GOES_ON;

	for (; list && outcome == GOES_ON; list = list->next)
		outcome = run_one(list);
	return outcome;
}

static bool applies(struct rule *rule)
{
	switch (rule->kind) {
	case RULE_PATTERN:
		return eval_bool(rule->from);
	case RULE_RANGE:
		if (!rule->in_range && !eval_bool(rule->from))
			return false;
		rule->in_range = !eval_bool(rule->to);
		return true;
	default:
		return true;
	}
}

static enum outcome run_rule(struct rule *rule)
{
	struct node whole = { .kind = N_PRINT, .op = TO_STDOUT };

	if (setjmp(out_of_function))
		return left_by;
	if (!applies(rule))
		return GOES_ON;
	if (rule->action)
		return run(rule->action->a);
	print(&whole);
	return GOES_ON;
}

/* Those of BEGIN or END. */
static enum outcome run_rules(int kind)
{
	for (struct rule *rule = program.rules; rule; rule = rule->next)
		if ((int)rule->kind == kind && run_rule(rule) == EXITS)
			return EXITS;
	return GOES_ON;
}

static enum outcome run_record(void)
{
	enum outcome outcome = GOES_ON;

	for (struct rule *rule = program.rules; rule && outcome == GOES_ON;
	     rule = rule->next)
		if (rule->kind != RULE_BEGIN && rule->kind != RULE_END)
			outcome = run_rule(rule);
	return outcome;
}

static bool needs_input(void)
{
	for (struct rule *rule = program.rules; rule; rule = rule->next)
		if (rule->kind != RULE_BEGIN)
			return true;
	return false;
}

int run_program(void)
{
	enum outcome outcome = run_rules(RULE_BEGIN);
	char *bytes;
	size_t length;

	if (outcome != EXITS && !needs_input())
		return exit_status;
	while (outcome != EXITS && next_record(&bytes, &length)) {
		record_set(bytes, length);
		outcome = run_record();
		if (outcome == NEXTFILE)
			skip_file();
	}
	/* exit in BEGIN or a rule: END is run; there, it ends all. */
	run_rules(RULE_END);
	return exit_status;
}
