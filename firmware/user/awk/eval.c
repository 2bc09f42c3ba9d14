/* SPDX-License-Identifier: GPL-2.0-only */
/* What expressions come to, and assigning. */
#include <stdlib.h>
#include <string.h>

#include "awk.h"

double eval_number(struct node *node)
{
	struct value value = eval(node);
	double number = to_number(&value);

	value_free(&value);
	return number;
}

bool eval_bool(struct node *node)
{
	struct value value = eval(node);
	bool result = to_bool(&value);

	value_free(&value);
	return result;
}

struct text *eval_text(struct node *node)
{
	struct value value = eval(node);
	struct text *text = as_text(&value);

	value_free(&value);
	return text;
}

struct regex *dynamic_regex(const char *source, size_t length)
{
	static struct {
		char *source;
		struct regex *regex;
	} known[32];
	static unsigned int next;
	const char *why;
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(*known) && known[i].source; i++)
		if (!strcmp(known[i].source, source))
			return known[i].regex;
	/* Expressions stay compiled: programs have few of them. */
	i = next++ % (sizeof(known) / sizeof(*known));
	free(known[i].source);
	known[i].source = strndup(source, length);
	known[i].regex = regex_compile(known[i].source, REGEX_EXTENDED, &why);
	if (!known[i].regex)
		fatal("/%s/: %s", source, why);
	return known[i].regex;
}

struct regex *eval_regex(struct node *node)
{
	struct regex *regex;
	struct text *text;

	if (node->kind == N_REGEX)
		return node->regex;
	text = eval_text(node);
	regex = dynamic_regex(text->bytes, text->length);
	text_put(text);
	return regex;
}

static bool matches(struct regex *regex, const struct text *text)
{
	struct match found[REGEX_GROUPS];

	return regex_search(regex, text->bytes, text->length, 0, found);
}

static bool eval_match(struct node *node)
{
	struct text *text = eval_text(node->a);
	bool result = matches(eval_regex(node->b), text);

	text_put(text);
	return result == (node->op == T_MATCH);
}

static bool record_matches(struct regex *regex)
{
	struct text *text = as_text(field_get(0));
	bool result = matches(regex, text);

	text_put(text);
	return result;
}

struct text *eval_key(struct node *list)
{
	struct text *key = eval_text(list), *part, *joined;

	for (list = list->next; list; list = list->next) {
		const char *separator = special_text(V_SUBSEP);
		size_t between = strlen(separator);

		part = eval_text(list);
		joined = text_room(key->length + between + part->length);
		memcpy(joined->bytes, key->bytes, key->length);
		memcpy(joined->bytes + key->length, separator, between);
		memcpy(joined->bytes + key->length + between, part->bytes,
		       part->length);
		text_put(key);
		text_put(part);
		key = joined;
	}
	return key;
}

static struct cell *cell_of(struct node *node)
{
	return node->kind == N_LOCAL ? local_cell(node->number) :
				       global(node->number);
}

struct array *eval_array(struct node *node)
{
	if (node->kind != N_GLOBAL && node->kind != N_LOCAL)
		fatal("an array is needed");
	return cell_array(cell_of(node));
}

static int field_number(struct node *node)
{
	double number = eval_number(node->a);

	if (!(number > -1 && number < 1e9))
		fatal("there is no field %ld", (long)number);
	return number;
}

/* Takes the value; returns a copy of what the target then is. */
struct value assign(struct node *target, struct value value)
{
	struct text *key;
	struct array *array;

	if (value.kind == UNSET)
		value = value_string("", 0);
	switch (target->kind) {
	case N_FIELD: {
		int number = field_number(target);

		field_set(number, value_copy(&value));
		break;
	}
	case N_INDEX:
		key = eval_key(target->b);
		array = eval_array(target->a);
		value_set(array_at(array, key), value_copy(&value));
		text_put(key);
		break;
	default:
		if (target->kind == N_GLOBAL && target->number == V_NF)
			field_count_set(to_number(&value));
		else
			value_set(cell_value(cell_of(target)),
				  value_copy(&value));
		break;
	}
	return value;
}

static double arithmetic(int op, double a, double b)
{
	switch (op) {
	case T_PLUS:
	case T_ADD_ASSIGN:
	case T_INCREMENT:
		return a + b;
	case T_MINUS:
	case T_SUB_ASSIGN:
	case T_DECREMENT:
		return a - b;
	case T_STAR:
	case T_MUL_ASSIGN:
		return a * b;
	case T_SLASH:
	case T_DIV_ASSIGN:
		if (b == 0)
			fatal("division by zero");
		return a / b;
	case T_PERCENT:
	case T_MOD_ASSIGN:
		if (b == 0)
			fatal("division by zero in %%");
		return remainder_of(a, b);
	default:
		return power(a, b);
	}
}

static struct value eval_assign(struct node *node)
{
	double old, new;

	if (node->op == T_ASSIGN)
		return assign(node->a, eval(node->b));
	new = eval_number(node->b);
	old = eval_number(node->a);
	return assign(node->a, value_number(arithmetic(node->op, old, new)));
}

/* ++ and --: what it was, or what it is. */
static struct value eval_step(struct node *node)
{
	double old = eval_number(node->a);
	struct value new = assign(node->a,
				  value_number(arithmetic(node->op, old, 1)));

	return node->kind == N_BEFORE ? new : value_number(old);
}

static bool eval_compare(struct node *node)
{
	struct value a = eval(node->a), b = eval(node->b);
	bool unordered = (a.kind != STRING && is_nan(to_number(&a))) ||
			 (b.kind != STRING && is_nan(to_number(&b)));
	int order = value_compare(&a, &b);

	value_free(&a);
	value_free(&b);
	switch (node->op) {
	case T_LESS:
		return order < 0;
	case T_LESS_EQUAL:
		return order <= 0 && !unordered;
	case T_EQUAL:
		return order == 0 && !unordered;
	case T_NOT_EQUAL:
		return order != 0 || unordered;
	case T_GREATER:
		return order > 0;
	default:
		return order >= 0 && !unordered;
	}
}

static struct value eval_concat(struct node *node)
{
	struct text *a = eval_text(node->a), *b = eval_text(node->b);
	struct text *both = text_room(a->length + b->length);

	memcpy(both->bytes, a->bytes, a->length);
	memcpy(both->bytes + a->length, b->bytes, b->length);
	text_put(a);
	text_put(b);
	return value_text(both);
}

static struct value eval_index(struct node *node)
{
	struct text *key = eval_key(node->b);
	struct value value = value_copy(array_at(eval_array(node->a), key));

	text_put(key);
	return value;
}

static bool eval_in(struct node *node)
{
	struct text *key = eval_key(node->b);
	bool result = array_has(eval_array(node->a), key);

	text_put(key);
	return result;
}

struct value eval(struct node *node)
{
	switch (node->kind) {
	case N_CONSTANT:
		return value_copy(&node->constant);
	case N_REGEX:
		return value_number(record_matches(node->regex));
	case N_GLOBAL:
		if (node->number == V_NF)
			return value_number(field_count());
		/* fall through */
	case N_LOCAL:
		return value_copy(cell_value(cell_of(node)));
	case N_FIELD:
		return value_copy(field_get(field_number(node)));
	case N_INDEX:
		return eval_index(node);
	case N_IN:
		return value_number(eval_in(node));
	case N_GROUP:
		return eval(node->a);
	case N_ASSIGN:
		return eval_assign(node);
	case N_CONDITION:
		return eval(eval_bool(node->a) ? node->b : node->c);
	case N_AND:
		return value_number(eval_bool(node->a) && eval_bool(node->b));
	case N_OR:
		return value_number(eval_bool(node->a) || eval_bool(node->b));
	case N_NOT:
		return value_number(!eval_bool(node->a));
	case N_NEGATE:
		return value_number(-eval_number(node->a));
	case N_PLUS:
		return value_number(eval_number(node->a));
	case N_BINARY: {
		double a = eval_number(node->a);

		return value_number(arithmetic(node->op, a,
					       eval_number(node->b)));
	}
	case N_COMPARE:
		return value_number(eval_compare(node));
	case N_MATCH:
		return value_number(eval_match(node));
	case N_CONCAT:
		return eval_concat(node);
	case N_BEFORE:
	case N_AFTER:
		return eval_step(node);
	case N_CALL:
		return call_function(node);
	case N_BUILTIN:
		return call_builtin(node);
	case N_GETLINE:
		return eval_getline(node);
	default:
		fatal("a statement is no expression");
	}
}
