/* SPDX-License-Identifier: GPL-2.0-only */
/* fgrep ...: grep -F, for strings. */
#include <commands.h>

int main(int argc, char **argv)
{
	return command_grep(argc, argv, "-F");
}
