/* SPDX-License-Identifier: GPL-2.0-only */
/* pkill [-SIGNAL] [-efinovx] [-P PARENT] PATTERN: sends a signal to processes by their names. */
#include <commands.h>

int main(int argc, char **argv)
{
	return command_pgrep(argc, argv, true);
}
