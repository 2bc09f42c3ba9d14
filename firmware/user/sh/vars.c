/* SPDX-License-Identifier: GPL-2.0-only */
/* Variables, positional parameters and functions. */
#include <stdlib.h>
#include <string.h>

#include "shell.h"

struct variable {
	char *name;
	char *value;			/* NULL: only known to be exported */
	bool exported;
	bool readonly;
	struct variable *next;
};

struct function {
	char *name;
	const struct node *body;
	struct function *next;
};

static struct variable *variables;	/* sorted by name */
static struct function *functions;

struct parameters parameters;

/* Where the variable is in the list, or would be. */
static struct variable **find(const char *name)
{
	struct variable **at = &variables;

	while (*at && strcmp((*at)->name, name) < 0)
		at = &(*at)->next;
	return at;
}

static struct variable *look_up(const char *name)
{
	struct variable *variable = *find(name);

	return variable && !strcmp(variable->name, name) ? variable : NULL;
}

static struct variable *look_up_or_add(const char *name)
{
	struct variable **at = find(name);
	struct variable *variable = *at;

	if (variable && !strcmp(variable->name, name))
		return variable;
	variable = xmalloc(sizeof(*variable));
	variable->name = xstrdup(name);
	variable->value = NULL;
	variable->exported = false;
	variable->readonly = false;
	variable->next = *at;
	*at = variable;
	return variable;
}

void vars_import(char **environment)
{
	for (; *environment; environment++) {
		size_t length = name_length(*environment);
		char *name;

		if (length == 0 || (*environment)[length] != '=')
			continue;
		name = arena_copy(&temp_arena, *environment, length);
		var_set(name, *environment + length + 1);
		var_export(name, true);
	}
}

const char *var_get(const char *name)
{
	const struct variable *variable = look_up(name);

	return variable ? variable->value : NULL;
}

void var_set(const char *name, const char *value)
{
	struct variable *variable = look_up(name);

	if (variable && variable->readonly)
		fail("%s: is read only", name);
	if (value) {
		variable = look_up_or_add(name);
		/* The new value may be part of the old one. */
		value = xstrdup(value);
		free(variable->value);
		variable->value = (char *)value;
		variable->exported |= options.export_all;
	} else if (variable) {
		*find(name) = variable->next;
		free(variable->name);
		free(variable->value);
		free(variable);
	}
}

void var_readonly(const char *name)
{
	look_up_or_add(name)->readonly = true;
}

/* What a variable was outside of the function, or before the command. */
struct local {
	char *name;			/* or "-": options; "@": parameters */
	char *value;
	struct options options;
	struct parameters parameters;
	bool exported;
	bool readonly;
	struct local *before;
};

static struct local *locals;

struct local *locals_mark(void)
{
	return locals;
}

void var_local(const char *name)
{
	const struct variable *variable = look_up(name);
	struct local *local = xmalloc(sizeof(*local));

	local->name = xstrdup(name);
	local->options = options;
	local->parameters = parameters;
	local->value = variable && variable->value ?
		       xstrdup(variable->value) : NULL;
	local->exported = variable && variable->exported;
	local->readonly = variable && variable->readonly;
	local->before = locals;
	locals = local;
}

void locals_restore(struct local *mark)
{
	while (locals != mark) {
		struct local *local = locals;
		struct variable *variable = look_up(local->name);

		if (variable)
			variable->readonly = false;
		if (!strcmp(local->name, "-")) {
			options = local->options;
		} else if (!strcmp(local->name, "@")) {
			parameters_free(&parameters);
			parameters = local->parameters;
		} else {
			var_set(local->name, local->value);
		}
		if (local->value || local->exported)
			var_export(local->name, local->exported);
		if (local->readonly)
			var_readonly(local->name);
		locals = local->before;
		free(local->name);
		free(local->value);
		free(local);
	}
}

void var_export(const char *name, bool exported)
{
	look_up_or_add(name)->exported = exported;
}

char **vars_environment(void)
{
	struct strings list = { .count = 0 };

	strings_add(&list, NULL);
	for (struct variable *v = variables; v; v = v->next) {
		size_t size;
		char *entry;

		if (!v->exported || !v->value)
			continue;
		size = strlen(v->name) + strlen(v->value) + 2;
		entry = arena_alloc(&temp_arena, size);
		snprintf(entry, size, "%s=%s", v->name, v->value);
		strings_add(&list, entry);
	}
	return list.items;
}

void print_quoted(const char *value)
{
	fputc('\'', stdout);
	for (; *value; value++) {
		if (*value == '\'')
			fputs("'\"'\"'", stdout);
		else
			fputc(*value, stdout);
	}
	fputc('\'', stdout);
}

void vars_print(enum listing which)
{
	for (struct variable *v = variables; v; v = v->next) {
		if (which == LIST_EXPORTED && v->exported)
			printf("export %s", v->name);
		else if (which == LIST_READONLY && v->readonly)
			printf("readonly %s", v->name);
		else if (which == LIST_ALL && v->value)
			fputs(v->name, stdout);
		else
			continue;
		if (v->value) {
			fputc('=', stdout);
			print_quoted(v->value);
		}
		fputc('\n', stdout);
	}
}

void parameters_local(char **items, int count)
{
	var_local("@");
	parameters_set(items, count);
}

void parameters_set(char **items, int count)
{
	char **copy = xmalloc((count + 1) * sizeof(*copy));

	for (int i = 0; i < count; i++)
		copy[i] = xstrdup(items[i]);
	copy[count] = NULL;
	parameters.items = copy;
	parameters.count = count;
}

void parameters_free(struct parameters *old)
{
	for (int i = 0; i < old->count; i++)
		free(old->items[i]);
	free(old->items);
}

static struct function **find_function(const char *name)
{
	struct function **at = &functions;

	while (*at && strcmp((*at)->name, name))
		at = &(*at)->next;
	return at;
}

void function_set(const char *name, const struct node *body)
{
	struct function **at = find_function(name);

	if (!*at) {
		*at = xmalloc(sizeof(**at));
		(*at)->name = xstrdup(name);
		(*at)->next = NULL;
	}
	(*at)->body = body;
}

const struct node *function_get(const char *name)
{
	struct function *function = *find_function(name);

	return function ? function->body : NULL;
}

void function_unset(const char *name)
{
	struct function **at = find_function(name);
	struct function *function = *at;

	if (function) {
		*at = function->next;
		free(function->name);
		free(function);
	}
}
