/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options of a command line, as POSIX has them; and as GNU has them an argument
 * that is in the same word or missing: two colons.
 */
#include <err.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

char *optarg;
int optind = 1, opterr = 1, optopt;

/* How far we are in a group of options; NULL: at the next argument. */
static const char *at;

int getopt(int argc, char *const argv[], const char *options)
{
	/* A leading colon asks for no messages, and ':' for a missing one. */
	bool silent = *options == ':';
	const char *option;

	if (optind == 0) {
		optind = 1;
		at = NULL;
	}
	if (!at || !*at) {
		const char *word = optind < argc ? argv[optind] : NULL;

		at = NULL;
		if (!word || word[0] != '-' || !word[1])
			return -1;
		optind++;
		if (!strcmp(word, "--"))
			return -1;
		at = word + 1;
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
