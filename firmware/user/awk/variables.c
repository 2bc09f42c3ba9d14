/* SPDX-License-Identifier: GPL-2.0-only */
/* Global variables, and those that awk itself sets or looks at. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "awk.h"

static const char *const special_names[V_COUNT] = {
	[V_NF] = "NF", [V_NR] = "NR", [V_FNR] = "FNR", [V_FS] = "FS",
	[V_OFS] = "OFS", [V_ORS] = "ORS", [V_RS] = "RS", [V_SUBSEP] = "SUBSEP",
	[V_CONVFMT] = "CONVFMT", [V_OFMT] = "OFMT", [V_RSTART] = "RSTART",
	[V_RLENGTH] = "RLENGTH", [V_FILENAME] = "FILENAME",
	[V_ENVIRON] = "ENVIRON", [V_ARGC] = "ARGC", [V_ARGV] = "ARGV",
};

static struct {
	char *name;
	struct cell cell;
} *globals;
static int global_count;

int global_number(const char *name)
{
	for (int i = 0; i < global_count; i++)
		if (!strcmp(globals[i].name, name))
			return i;
	globals = xrealloc(globals, (global_count + 1) * sizeof(*globals));
	memset(&globals[global_count], 0, sizeof(*globals));
	globals[global_count].name = xstrdup(name);
	return global_count++;
}

struct cell *global(int number)
{
	return &globals[number].cell;
}

static void set_string(enum special which, const char *text)
{
	value_set(&globals[which].cell.value, value_string(text, strlen(text)));
}

void set_special(enum special which, double number)
{
	value_set(&globals[which].cell.value, value_number(number));
}

const char *special_text(enum special which)
{
	static struct text *shown[V_COUNT];
	const struct value *value = &globals[which].cell.value;

	text_put(shown[which]);
	shown[which] = to_text(value, "%.6g");
	return shown[which]->bytes;
}

static void set_element(struct array *array, const char *key, const char *text,
			size_t length)
{
	struct text *name = text_new(key, strlen(key));

	value_set(array_at(array, name), value_input(text, length));
	text_put(name);
}

static void init_environment(struct array *environment)
{
	for (char **at = environ; *at; at++) {
		char *equals = strchr(*at, '='), *name;

		if (!equals)
			continue;
		name = strndup(*at, equals - *at);
		set_element(environment, name, equals + 1, strlen(equals + 1));
		free(name);
	}
}

void variables_init(char **arguments, int count)
{
	struct array *argv;

	for (int i = 0; i < V_COUNT; i++)
		global_number(special_names[i]);
	for (int i = 0; i < V_COUNT; i++)
		set_string(i, "");
	set_special(V_NR, 0);
	set_special(V_FNR, 0);
	set_special(V_RSTART, 0);
	set_special(V_RLENGTH, -1);
	set_string(V_FS, " ");
	set_string(V_OFS, " ");
	set_string(V_ORS, "\n");
	set_string(V_RS, "\n");
	set_string(V_SUBSEP, "\034");
	set_string(V_CONVFMT, "%.6g");
	set_string(V_OFMT, "%.6g");
	set_special(V_ARGC, count);
	value_free(&globals[V_ARGV].cell.value);
	value_free(&globals[V_ENVIRON].cell.value);
	argv = cell_array(&globals[V_ARGV].cell);
	for (int i = 0; i < count; i++) {
		char key[16];

		snprintf(key, sizeof(key), "%d", i);
		set_element(argv, key, arguments[i], strlen(arguments[i]));
	}
	init_environment(cell_array(&globals[V_ENVIRON].cell));
}

bool assign_argument(const char *text)
{
	const char *equals = text;
	struct value value;
	size_t length;
	char *name, *meant;
	struct node target = { .kind = N_GLOBAL };

	if (!isalpha(*text) && *text != '_')
		return false;
	while (isalnum(*equals) || *equals == '_')
		equals++;
	if (*equals != '=')
		return false;
	name = strndup(text, equals - text);
	target.number = global_number(name);
	free(name);
	meant = unescape(equals + 1, strlen(equals + 1), &length);
	value = value_input(meant, length);
	free(meant);
	value = assign(&target, value);
	value_free(&value);
	return true;
}

/* The first cell from here outwards that knows what it is, or the outermost. */
static struct cell *decided(struct cell *cell)
{
	while (!cell->array && cell->value.kind == UNSET && cell->origin)
		cell = cell->origin;
	return cell;
}

struct array *cell_array(struct cell *cell)
{
	struct cell *owner = decided(cell);

	if (owner->value.kind != UNSET)
		fatal("a scalar is used as an array");
	if (!owner->array)
		owner->array = array_new();
	/* A parameter finds it without going outwards again. */
	if (cell != owner && !cell->array) {
		cell->array = owner->array;
		cell->borrowed = true;
	}
	return owner->array;
}

struct value *cell_value(struct cell *cell)
{
	if (cell->array)
		fatal("an array is used as a scalar");
	return &cell->value;
}
