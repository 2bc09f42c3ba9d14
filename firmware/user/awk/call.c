/* SPDX-License-Identifier: GPL-2.0-only */
/* Calling the program's functions. */
#include <stdlib.h>
#include <string.h>

#include "awk.h"

#define DEEPEST		2000		/* of calls within calls: the stack is finite */

static struct cell *frame;		/* of the function that runs */
static int depth;

struct cell *local_cell(int number)
{
	return &frame[number];
}

/* A variable that is still nothing may become an array in there. */
static void pass(struct cell *to, struct node *argument)
{
	struct cell *from = NULL;

	if (argument->kind == N_GLOBAL && argument->number != V_NF)
		from = global(argument->number);
	else if (argument->kind == N_LOCAL)
		from = local_cell(argument->number);
	if (!from) {
		to->value = eval(argument);
		return;
	}
	while (!from->array && from->value.kind == UNSET && from->origin)
		from = from->origin;
	if (from->array) {
		to->array = from->array;
		to->borrowed = true;
	} else {
		to->value = value_copy(&from->value);
		to->origin = from->value.kind == UNSET ? from : NULL;
	}
}

struct value call_function(struct node *node)
{
	struct function *function = &program.functions[node->number];
	struct cell *cells, *caller = frame;
	struct node *argument = node->a;
	struct value result;

	if (++depth > DEEPEST)
		fatal("function %s: calls are too deep", function->name);
	cells = calloc(function->parameter_count + 1, sizeof(*cells));
	if (!cells)
		fatal("out of memory");
	for (int i = 0; argument; argument = argument->next, i++) {
		if (i >= function->parameter_count)
			fatal("function %s takes %d arguments", function->name,
			      function->parameter_count);
		pass(&cells[i], argument);
	}
	frame = cells;
	switch (run(function->body->a)) {
	case NEXT:
		leave(NEXT);
	case NEXTFILE:
		leave(NEXTFILE);
	case EXITS:
		leave(EXITS);
	default:
		break;
	}
	frame = caller;
	depth--;
	for (int i = 0; i < function->parameter_count; i++) {
		if (cells[i].array && !cells[i].borrowed)
			array_free(cells[i].array);
		value_free(&cells[i].value);
	}
	free(cells);
	result = returned;
	returned = (struct value){ .kind = UNSET };
	return result;
}

void forget_calls(void)
{
	frame = NULL;
	depth = 0;
}
