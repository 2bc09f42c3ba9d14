/* SPDX-License-Identifier: GPL-2.0-only */
/* egrep ...: grep -E, for extended regular expressions. */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char **words = xmalloc((argc + 2) * sizeof(*words));

	words[0] = "grep";
	words[1] = "-E";
	memcpy(words + 2, argv + 1, argc * sizeof(*words));
	execvp(words[0], words);
	err(2, "grep");
}
