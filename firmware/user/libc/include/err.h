/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages on standard error that begin with the program's name. */
#ifndef ERR_H
#define ERR_H

#include <stdarg.h>
#include <stdio.h>

/* argv[0] without its directory. */
extern const char *program_name;

/* "ls: MESSAGE: No such file or directory", from errno. */
void warn(const char *format, ...) PRINTF(1, 2);
/* "ls: MESSAGE". */
void warnx(const char *format, ...) PRINTF(1, 2);
void err(int status, const char *format, ...)
	PRINTF(2, 3) __attribute__((noreturn));
void errx(int status, const char *format, ...)
	PRINTF(2, 3) __attribute__((noreturn));

#endif
