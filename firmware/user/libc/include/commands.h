/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands that are programs, and the shell's own as well. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include <stdbool.h>
#include <stdio.h>

/* Says what is wrong, after the name of the command. */
typedef void complain_fn(const char *format, ...) PRINTF(1, 2);

int command_test(int argc, char **argv, complain_fn *complain);
int command_printf(int argc, char **argv, complain_fn *complain);

/* Sends to a shell's job, as %1; false after a message. NULL: there are none. */
typedef bool signal_job_fn(const char *job, int signal);
int command_kill(int argc, char **argv, signal_job_fn *signal_job,
		 complain_fn *complain);

/*
 * The character of the escape sequence after a backslash, which *text then has
 * passed; -1: there is none, so the backslash stands for itself. zero: a 0 that
 * an octal number begins with does not count among its three digits.
 */
int escaped_char(const char **text, bool zero);

#endif
