/* SPDX-License-Identifier: GPL-2.0-only */
/* sed [-nEr] SCRIPT [FILE]..., sed [-nEr] -e SCRIPT... [FILE]... */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "sed.h"

int main(int argc, char **argv)
{
	static char *standard_input[] = { "-", NULL };
	struct command *script = NULL;
	bool quiet = false;
	int scripts = 0;
	int i = 1;

	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		const char *option = argv[i] + 1;

		if (!strcmp(option, "-")) {
			i++;
			break;
		}
		for (; *option && strchr("nEr", *option); option++) {
			if (*option == 'n')
				quiet = true;
			else
				regex_flags = REGEX_EXTENDED;
		}
		if (*option == 'e') {
			const char *text = option[1] ? option + 1 : argv[++i];

			if (!text)
				errx(1, "option requires an argument -- 'e'");
			parse_script(text, ++scripts, &script);
		} else if (*option) {
			errx(1, "invalid option -- '%c'", *option);
		}
	}
	if (scripts == 0) {
		if (i == argc)
			errx(1, "usage: sed [-nEr] [-e] SCRIPT [FILE]...");
		parse_script(argv[i++], 1, &script);
	}
	return run_script(script, i < argc ? argv + i : standard_input, quiet);
}
