/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kill [-SIGNAL | -s SIGNAL] PID...: sends a signal, by name or number; TERM if
 * none. A negative PID is a process group, -1 everybody.
 * kill -l [SIGNAL]...: their names, or a number's name, or a name's number.
 */
#include <commands.h>
#include <err.h>
#include <stddef.h>

int main(int argc, char **argv)
{
	return command_kill(argc, argv, NULL, warnx);
}
