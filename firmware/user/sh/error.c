/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages as "sh: 1: MESSAGE", and giving up. */
#include <signal.h>
#include <stdlib.h>

#include "shell.h"

void *recovery[5];
struct input *recovery_input;

static void message(int line, const char *prefix, const char *format,
		    va_list args)
{
	char text[512];

	vsnprintf(text, sizeof(text), format, args);
	fprintf(stderr, "%s: %d: %s%s%s%s\n", shell.name, line,
		shell.builtin ? shell.builtin : "",
		shell.builtin ? ": " : "", prefix, text);
}

void complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	message(shell.line, "", format, args);
	va_end(args);
}

void fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	message(shell.line, "", format, args);
	va_end(args);
	abandon(STATUS_ERROR);
}

void syntax_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	message(input->line, "Syntax error: ", format, args);
	va_end(args);
	abandon(STATUS_ERROR);
}

/* In a builtin that is not special, only that has failed. */
struct failure *failure;

void abandon(int status)
{
	if (failure) {
		input_pop_until(failure->input);
		failure->status = status;
		longjmp(failure->back, 1);
	}
	if (!shell.recovers)
		shell_exit(status);
	input_pop_until(recovery_input);
	shell.status = status;
	__builtin_longjmp(recovery, 1);
}

void abandon_line(void)
{
	failure = NULL;
	redirect_undo(NULL);	/* the terminal is to see it */
	fputs("\n", stderr);
	abandon(128 + SIGINT);
}
