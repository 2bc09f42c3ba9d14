/* SPDX-License-Identifier: GPL-2.0-only */
/* test EXPRESSION, [ EXPRESSION ]: status 0 if it is true, 1 if not. */
#include <commands.h>
#include <err.h>

int main(int argc, char **argv)
{
	return command_test(argc, argv, warnx);
}
