/* SPDX-License-Identifier: GPL-2.0-only */
/* egrep ...: grep -E, for extended regular expressions. */
#include <commands.h>

int main(int argc, char **argv)
{
	return command_grep(argc, argv, "-E");
}
