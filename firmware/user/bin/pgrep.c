/* SPDX-License-Identifier: GPL-2.0-only */
/* pgrep [-aclfinovx] [-d SEPARATOR] [-P PARENT] PATTERN: prints the numbers of processes by their names. */
#include <commands.h>

int main(int argc, char **argv)
{
	return command_pgrep(argc, argv, false);
}
