/* SPDX-License-Identifier: GPL-2.0-only */
/* Builtins of variables and parameters. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "shell.h"

/* NAME or NAME=VALUE: sets it if there is a value; returns the name. */
static char *assign_argument(const char *word, void (*before)(const char *))
{
	size_t length = name_length(word);
	char *name = arena_copy(&temp_arena, word, length);

	if (length == 0 || (word[length] && word[length] != '='))
		fail("%s: bad variable name", word);
	if (before)
		before(name);
	if (word[length])
		var_set(name, word + length + 1);
	return name;
}

int run_export(int argc, char **argv)
{
	if (argc < 2 || !strcmp(argv[1], "-p"))
		vars_print(LIST_EXPORTED);
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "-p"))
			var_export(assign_argument(argv[i], NULL), true);
	return 0;
}

int run_readonly(int argc, char **argv)
{
	if (argc < 2 || !strcmp(argv[1], "-p"))
		vars_print(LIST_READONLY);
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "-p"))
			var_readonly(assign_argument(argv[i], NULL));
	return 0;
}

int run_local(int argc, char **argv)
{
	if (control.functions == 0)
		fail("not in a function");
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "-"))
			var_local("-");
		else
			assign_argument(argv[i], var_local);
	return 0;
}

int run_unset(int argc, char **argv)
{
	bool function = argc > 1 && !strcmp(argv[1], "-f");
	bool variable = argc > 1 && !strcmp(argv[1], "-v");

	for (int i = 1 + (function || variable); i < argc; i++) {
		if (function)
			function_unset(argv[i]);
		else if (is_name(argv[i]))
			var_set(argv[i], NULL);
		else
			fail("%s: bad variable name", argv[i]);
	}
	return 0;
}

/* The option words of set; returns the place of what follows them. */
static int set_options(int argc, char **argv)
{
	int i = 1;

	for (; i < argc && (argv[i][0] == '-' || argv[i][0] == '+'); i++) {
		char **words = argv + i;

		if (!strcmp(argv[i], "-"))
			options.trace = options.verbose = false;
		if (!strcmp(argv[i], "-") || !strcmp(argv[i], "--"))
			break;
		for (const char *letter = *words + 1; *letter; letter++)
			i += options_take(words, letter);
	}
	return i;
}

int run_set(int argc, char **argv)
{
	struct parameters old = parameters;
	int first;

	if (argc == 1) {
		vars_print(LIST_ALL);
		return 0;
	}
	first = set_options(argc, argv);
	if (first == argc)
		return 0;
	if (!strcmp(argv[first], "--"))
		first++;
	else if (!strcmp(argv[first], "-") && ++first == argc)
		return 0;
	parameters_set(argv + first, argc - first);
	parameters_free(&old);
	return 0;
}

int run_shift(int argc, char **argv)
{
	struct parameters old = parameters;
	long count = argc > 1 ? parse_number(argv[1]) : 1;

	if (count < 0)
		fail("Illegal number: %s", argv[1]);
	if (count > old.count)
		fail("can't shift that many");
	parameters_set(old.items + count, old.count - count);
	parameters_free(&old);
	return 0;
}

static void set_number(const char *name, long value)
{
	char text[24];

	snprintf(text, sizeof(text), "%ld", value);
	var_set(name, text);
}

/* Where getopts is in a word of several options; with what OPTIND was. */
static struct {
	long index;
	size_t place;
} getopts_at;

/* What getopts finds wrong: a message, or with a leading colon a letter. */
static void getopts_wrong(bool silent, char option, const char *message,
			  char *result, char silent_result)
{
	char letter[2] = { option, '\0' };

	if (silent) {
		*result = silent_result;
		var_set("OPTARG", letter);
	} else {
		*result = '?';
		var_set("OPTARG", NULL);
		fprintf(stderr, message, option);
	}
}

int run_getopts(int argc, char **argv)
{
	const char *set = var_get("OPTIND"), *options, *option, *word;
	char result[2] = "?";
	long index = set ? parse_number(set) : 1;
	char **words = argc > 3 ? argv + 3 : parameters.items;
	long count = argc > 3 ? argc - 3 : parameters.count;
	size_t place;
	char letter;
	bool silent;

	if (argc < 3)
		fail("Usage: getopts optstring var [arg...]");
	options = argv[1];
	silent = *options == ':';
	if (index < 1)
		index = 1;
	place = getopts_at.index == index && index > 1 ? getopts_at.place : 0;
	/* In the middle of a word, OPTIND is already that of the next. */
	if (place && !words[index - 2][place])
		place = 0;
	if (!place) {
		word = index <= count ? words[index - 1] : NULL;
		if (!word || word[0] != '-' || !word[1] || !strcmp(word, "--")) {
			if (word && !strcmp(word, "--"))
				index++;
			set_number("OPTIND", index);
			var_set("OPTARG", NULL);
			var_set(argv[2], "?");
			getopts_at.index = 0;
			return 1;
		}
		index++;
		place = 1;
	}
	word = words[index - 2];
	letter = word[place++];
	option = letter == ':' ? NULL : strchr(options + silent, letter);
	*result = letter;
	if (!option) {
		getopts_wrong(silent, letter, "Illegal option -%c\n", result,
			      '?');
	} else if (option[1] == ':') {
		if (word[place])
			var_set("OPTARG", word + place);
		else if (index <= count)
			var_set("OPTARG", words[index++ - 1]);
		else
			getopts_wrong(silent, letter,
				      "No arg for -%c option\n", result, ':');
		place = 0;
	} else {
		var_set("OPTARG", NULL);
	}
	getopts_at.index = index;
	getopts_at.place = place && word[place] ? place : 0;
	set_number("OPTIND", index);
	var_set(argv[2], result);
	return 0;
}
