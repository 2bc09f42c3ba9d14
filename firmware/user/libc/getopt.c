/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options of a command line, as POSIX has them; and as GNU has them an argument
 * that is in the same word or missing: two colons; and options after operands,
 * which are moved behind them unless the list of options begins with a plus.
 */
#include <err.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

char *optarg;
int optind = 1, opterr = 1, optopt;

/* How far we are in a group of options; NULL: at the next argument. */
static const char *at;

bool option_takes_next(const char *word, const char *options)
{
	const char *option;

	for (word++; *word; word++) {
		option = *word == ':' ? NULL : strchr(options, *word);
		if (option && option[1] == ':')
			return option[2] != ':' && !word[1];
	}
	return false;
}

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1];
}

/* Has the next words that are an option change places with operands before. */
static void bring_option(int argc, char *argv[], const char *options)
{
	int to = optind, from = to, count = 1;

	while (from < argc && !is_option(argv[from]))
		from++;
	if (from == argc)
		return;
	if (strcmp(argv[from], "--") && from + 1 < argc)
		count += option_takes_next(argv[from], options);
	for (; count > 0; count--, from++, to++) {
		char *word = argv[from];

		memmove(argv + to + 1, argv + to, (from - to) * sizeof(*argv));
		argv[to] = word;
	}
}

int getopt(int argc, char *const argv[], const char *options)
{
	bool in_order = *options == '+', silent;
	const char *option;

	/* A leading colon asks for no messages, and ':' for a missing one. */
	options += in_order;
	silent = *options == ':';
	if (optind == 0) {
		optind = 1;
		at = NULL;
	}
	if (!at || !*at) {
		at = NULL;
		if (!in_order)
			bring_option(argc, (char **)argv, options);
		if (optind >= argc || !is_option(argv[optind]))
			return -1;
		at = argv[optind++] + 1;
		if (!strcmp(at, "-")) {
			at = NULL;
			return -1;
		}
	}
	optopt = (unsigned char)*at++;
	option = optopt == ':' ? NULL : strchr(options + silent, optopt);
	if (!option) {
		if (opterr && !silent)
			warnx("invalid option -- '%c'", optopt);
		return '?';
	}
	if (option[1] != ':')
		return optopt;
	optarg = (char *)at;
	at = NULL;
	if (*optarg)
		return optopt;
	if (option[2] == ':') {
		optarg = NULL;
		return optopt;
	}
	if (optind < argc) {
		optarg = argv[optind++];
		return optopt;
	}
	if (opterr && !silent)
		warnx("option requires an argument -- '%c'", optopt);
	return silent ? ':' : '?';
}
