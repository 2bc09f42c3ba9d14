/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions that awk has. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "awk.h"

#define MOST_ARGUMENTS	64

static const struct {
	const char *name;
	int least, most;
} arities[] = {
	[B_LENGTH] = { "length", 0, 1 }, [B_SUBSTR] = { "substr", 2, 3 },
	[B_INDEX] = { "index", 2, 2 }, [B_SPLIT] = { "split", 2, 3 },
	[B_SUB] = { "sub", 2, 3 }, [B_GSUB] = { "gsub", 2, 3 },
	[B_MATCH] = { "match", 2, 2 },
	[B_SPRINTF] = { "sprintf", 1, MOST_ARGUMENTS },
	[B_SIN] = { "sin", 1, 1 }, [B_COS] = { "cos", 1, 1 },
	[B_ATAN2] = { "atan2", 2, 2 }, [B_EXP] = { "exp", 1, 1 },
	[B_LOG] = { "log", 1, 1 }, [B_SQRT] = { "sqrt", 1, 1 },
	[B_INT] = { "int", 1, 1 }, [B_RAND] = { "rand", 0, 0 },
	[B_SRAND] = { "srand", 0, 1 }, [B_TOLOWER] = { "tolower", 1, 1 },
	[B_TOUPPER] = { "toupper", 1, 1 }, [B_SYSTEM] = { "system", 1, 1 },
	[B_CLOSE] = { "close", 1, 1 }, [B_FFLUSH] = { "fflush", 0, 1 },
};

static unsigned long random_state;
static double seed;

static double next_random(void)
{
	unsigned long x = random_state += 0x9e3779b97f4a7c15UL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9UL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebUL;
	x ^= x >> 31;
	return (long)(x >> 11) * 0x1p-53;
}

/* Returns the seed before. */
static double set_seed(double new)
{
	double old = seed;

	seed = new;
	random_state = (unsigned long)(long)new;
	return old;
}

static struct value length_of(struct node *argument)
{
	struct text *text;
	size_t length;

	if (argument && (argument->kind == N_GLOBAL || argument->kind == N_LOCAL)) {
		struct cell *cell = argument->kind == N_LOCAL ?
			local_cell(argument->number) : global(argument->number);

		if (cell->array)
			return value_number(cell->array->count);
	}
	text = argument ? eval_text(argument) : as_text(field_get(0));
	length = text->length;
	text_put(text);
	return value_number(length);
}

static double rounded(double x)
{
	double whole = truncated(x), rest = x - whole;

	if (rest > 0.5 || (rest == 0.5 && remainder_of(whole, 2) != 0))
		return whole + 1;
	if (rest < -0.5 || (rest == -0.5 && remainder_of(whole, 2) != 0))
		return whole - 1;
	return whole;
}

/* Characters count from 1; what lies outside is left out. */
static struct value substring(struct node *argument)
{
	struct text *text = eval_text(argument);
	double from = rounded(eval_number(argument->next));
	double end = argument->next->next ?
		from + rounded(eval_number(argument->next->next)) :
		(double)text->length + 1;
	struct value result;

	if (!(from >= 1))
		from = 1;
	if (!(end <= text->length + 1))
		end = text->length + 1;
	result = end > from ? value_string(text->bytes + (long)from - 1,
					   (long)(end - from)) :
			      value_string("", 0);
	text_put(text);
	return result;
}

static struct value index_of(struct node *argument)
{
	struct text *in = eval_text(argument), *what = eval_text(argument->next);
	double found = 0;

	for (size_t i = 0; i + what->length <= in->length && !found; i++)
		if (!memcmp(in->bytes + i, what->bytes, what->length))
			found = i + 1;
	text_put(in);
	text_put(what);
	return value_number(found);
}

struct parts {
	struct array *array;
	int count;
};

static void add_part(void *to, const char *bytes, size_t length)
{
	struct parts *parts = to;
	char number[16];
	struct text *key;

	snprintf(number, sizeof(number), "%d", ++parts->count);
	key = text_new(number, strlen(number));
	value_set(array_at(parts->array, key), value_input(bytes, length));
	text_put(key);
}

static struct value split(struct node *argument)
{
	struct text *text = eval_text(argument);
	struct node *by = argument->next->next;
	struct text *separator = NULL;
	struct parts parts = {};

	if (by && by->kind != N_REGEX)
		separator = eval_text(by);
	parts.array = eval_array(argument->next);
	array_clear(parts.array);
	split_into(text->bytes, text->length, by && !separator ? by : NULL,
		   separator ? separator->bytes : special_text(V_FS), add_part,
		   &parts);
	text_put(text);
	text_put(separator);
	return value_number(parts.count);
}

static struct value match(struct node *argument)
{
	struct match found[REGEX_GROUPS];
	struct text *text = eval_text(argument);
	double start = 0, length = -1;

	if (regex_search(eval_regex(argument->next), text->bytes, text->length,
			 0, found)) {
		start = found[0].start + 1;
		length = found[0].end - found[0].start;
	}
	set_special(V_RSTART, start);
	set_special(V_RLENGTH, length);
	text_put(text);
	return value_number(start);
}

static struct value format(struct node *argument)
{
	struct value values[MOST_ARGUMENTS];
	struct text *how = eval_text(argument), *made;
	int count = 0;

	for (argument = argument->next; argument; argument = argument->next) {
		if (count == MOST_ARGUMENTS)
			fatal("printf has too many arguments");
		values[count++] = eval(argument);
	}
	made = format_values(how, values, count);
	while (count > 0)
		value_free(&values[--count]);
	text_put(how);
	return value_text(made);
}

static struct value change_case(struct node *argument, bool upper)
{
	struct text *old = eval_text(argument);
	struct text *new = text_room(old->length);

	for (size_t i = 0; i < old->length; i++)
		new->bytes[i] = upper ? toupper(old->bytes[i]) :
					tolower(old->bytes[i]);
	text_put(old);
	return value_text(new);
}

static struct value with_name(struct node *argument, int (*do_it)(const char *))
{
	struct text *name = argument ? eval_text(argument) : NULL;
	int result = do_it(name && name->length ? name->bytes : NULL);

	text_put(name);
	return value_number(result);
}

struct value call_builtin(struct node *node)
{
	struct node *a = node->a;
	double x, y;
	int count = 0;

	for (struct node *at = a; at; at = at->next)
		count++;
	if (count < arities[node->number].least ||
	    (count > arities[node->number].most && node->number != B_SPRINTF))
		fatal("%s: wrong number of arguments",
		      arities[node->number].name);
	switch (node->number) {
	case B_LENGTH:
		return length_of(a);
	case B_SUBSTR:
		return substring(a);
	case B_INDEX:
		return index_of(a);
	case B_SPLIT:
		return split(a);
	case B_SUB:
		return substitute(a, false);
	case B_GSUB:
		return substitute(a, true);
	case B_MATCH:
		return match(a);
	case B_SPRINTF:
		return format(a);
	case B_SIN:
		return value_number(sine(eval_number(a)));
	case B_COS:
		return value_number(cosine(eval_number(a)));
	case B_ATAN2:
		x = eval_number(a);
		y = eval_number(a->next);
		return value_number(arc_tangent(x, y));
	case B_EXP:
		return value_number(exponential(eval_number(a)));
	case B_LOG:
		return value_number(logarithm(eval_number(a)));
	case B_SQRT:
		return value_number(square_root(eval_number(a)));
	case B_INT:
		return value_number(truncated(eval_number(a)));
	case B_RAND:
		return value_number(next_random());
	case B_SRAND:
		return value_number(set_seed(a ? eval_number(a) : time(NULL)));
	case B_TOLOWER:
		return change_case(a, false);
	case B_TOUPPER:
		return change_case(a, true);
	case B_SYSTEM:
		return with_name(a, run_system);
	case B_CLOSE:
		return with_name(a, stream_close);
	default:
		return with_name(a, streams_flush);
	}
}
