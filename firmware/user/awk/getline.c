/* SPDX-License-Identifier: GPL-2.0-only */
/* getline, in all its forms. */
#include "awk.h"

static int read_main(char **bytes, size_t *length)
{
	return next_record(bytes, length) ? 1 : 0;
}

static int read_other(struct node *node, char **bytes, size_t *length)
{
	struct text *name = eval_text(node->b);
	FILE *from = input_stream(node->op == T_PIPE, name->bytes);
	int result = from ? read_record(from, bytes, length) : -1;

	text_put(name);
	if (result > 0 && node->op == T_PIPE)
		set_special(V_NR, to_number(&global(V_NR)->value) + 1);
	return result;
}

struct value eval_getline(struct node *node)
{
	char *bytes;
	size_t length;
	int result = node->op ? read_other(node, &bytes, &length) :
				read_main(&bytes, &length);

	if (result > 0 && node->a) {
		struct value value = assign(node->a, value_input(bytes, length));

		value_free(&value);
	} else if (result > 0) {
		record_set(bytes, length);
	}
	return value_number(result);
}
