/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sed [-nErsuz] [-i[SUFFIX]] [-l LENGTH] SCRIPT [FILE]..., or with the script in
 * -e SCRIPT and -f FILE: edits lines, with all commands of POSIX's, and F, Q, T,
 * W and z of GNU's.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sed.h"

struct options options = { .line_length = 70, .newline = '\n' };

static void add_script_file(const char *path)
{
	FILE *f = strcmp(path, "-") ? fopen(path, "r") : stdin;
	struct text text = { .bytes = NULL };
	char data[BUFSIZ];
	size_t got;

	if (!f)
		err(STATUS_FAILED, "couldn't open file %s", path);
	text_append(&text, "", 0);
	while ((got = fread(data, 1, sizeof(data), f)) > 0)
		text_append(&text, data, got);
	if (ferror(f))
		err(STATUS_FAILED, "couldn't read file %s", path);
	/* The newline that ends the last line does not begin another. */
	if (text.length && text.bytes[text.length - 1] == '\n')
		text.bytes[text.length - 1] = '\0';
	add_script(text.bytes, 0, path);
	if (f != stdin)
		fclose(f);
}

static void set_length(const char *text)
{
	options.line_length = parse_number(text);
	if (options.line_length < 0)
		errx(STATUS_SCRIPT, "invalid line length: %s", text);
}

int main(int argc, char **argv)
{
	static const struct long_option names[] = {
		{ "quiet", 'n' }, { "silent", 'n' }, { "expression", 'e' },
		{ "file", 'f' }, { "in-place", 'i' }, { "line-length", 'l' },
		{ "regexp-extended", 'E' }, { "separate", 's' },
		{ "null-data", 'z' }, { "unbuffered", 'u' }, { NULL, 0 }
	};
	static char *standard_input[] = { "-", NULL };
	struct command *script;
	int scripts = 0, option;

	while ((option = getopt_long(argc, argv, "nErsuzi::l:e:f:",
				     names)) >= 0) {
		switch (option) {
		case 'n': options.quiet = true; break;
		case 'E':
		case 'r': options.regex_flags = REGEX_EXTENDED; break;
		case 's': options.separate = true; break;
		case 'u': options.unbuffered = true; break;
		case 'z': options.newline = '\0'; break;
		case 'i':
			options.separate = true;
			options.suffix = optarg ? optarg : "";
			break;
		case 'l': set_length(optarg); break;
		case 'e': add_script(optarg, ++scripts, NULL); break;
		case 'f': add_script_file(optarg); scripts++; break;
		default: return STATUS_SCRIPT;
		}
	}
	argv += optind;
	if (scripts == 0) {
		if (!*argv)
			errx(STATUS_SCRIPT,
			     "usage: sed [-nErsuz] [-i[SUFFIX]] [-l LENGTH] "
			     "[-e] SCRIPT | -f FILE [FILE]...");
		add_script(*argv++, 1, NULL);
	}
	if (options.suffix && !*argv)
		errx(STATUS_FAILED, "no input files");
	script = finish_script();
	open_input(*argv ? argv : standard_input, script);
	return run_script(script);
}
