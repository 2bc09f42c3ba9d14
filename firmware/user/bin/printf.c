/* SPDX-License-Identifier: GPL-2.0-only */
/* printf FORMAT [ARGUMENT]...: prints them as the format says. */
#include <commands.h>
#include <err.h>

int main(int argc, char **argv)
{
	return command_printf(argc, argv, warnx);
}
