/* SPDX-License-Identifier: GPL-2.0-only */
/* egrep and fgrep: grep by older names. */
#include <commands.h>
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int command_grep(int argc, char **argv, const char *option)
{
	char **words = xmalloc((argc + 2) * sizeof(*words));

	words[0] = "grep";
	words[1] = (char *)option;
	memcpy(words + 2, argv + 1, argc * sizeof(*words));
	execvp(words[0], words);
	err(2, "grep");
}
