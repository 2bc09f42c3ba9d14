/* SPDX-License-Identifier: GPL-2.0-only */
/* nice [-n ADJUSTMENT] [COMMAND [ARGUMENT]...]: with less or more weight. */
#include <ctype.h>
#include <err.h>
#include <exec.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define FAILED	125	/* of this program itself, not of the command */

static long parse_adjustment(const char *text)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (end == text || *end)
		errx(FAILED, "invalid adjustment '%s'", text);
	return value < -39 ? -39 : value > 39 ? 39 : value;
}

int main(int argc, char **argv)
{
	long adjustment = 10;
	bool given = false;
	int i = 1;

	for (; i < argc && argv[i][0] == '-'; i++) {
		const char *word = argv[i];

		if (!strcmp(word, "--")) {
			i++;
			break;
		}
		given = true;
		if (!strncmp(word, "--adjustment=", 13)) {
			adjustment = parse_adjustment(word + 13);
		} else if (word[1] == 'n') {
			if (!word[2] && ++i == argc)
				errx(FAILED,
				     "option requires an argument -- 'n'");
			adjustment = parse_adjustment(word[2] ? word + 2 :
								argv[i]);
		} else if (isdigit((unsigned char)word[1]) ||
			   ((word[1] == '-' || word[1] == '+') &&
			    isdigit((unsigned char)word[2]))) {
			adjustment = parse_adjustment(word + 1);
		} else {
			errx(FAILED, "invalid option -- '%c'", word[1]);
		}
	}
	if (i == argc) {
		if (given)
			errx(FAILED, "a command must be given with an "
			     "adjustment");
		printf("%d\n", getpriority(PRIO_PROCESS, 0));
		return 0;
	}
	if (setpriority(PRIO_PROCESS, 0,
			getpriority(PRIO_PROCESS, 0) + adjustment) < 0)
		warn("cannot set niceness");
	exec_or_exit(argv + i, "%s");
}
