/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages on standard error that begin with the program's name. */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* One message is one write, so that those of several processes do not mix. */
static void message(const char *error, const char *format, va_list args)
{
	char text[512];

	vsnprintf(text, sizeof(text), format, args);
	fprintf(stderr, "%s: %s%s%s\n", program_name, text,
		error ? ": " : "", error ? error : "");
}

void warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	message(strerror(errno), format, args);
	va_end(args);
}

void warnx(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	message(NULL, format, args);
	va_end(args);
}

void err(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	message(strerror(errno), format, args);
	va_end(args);
	exit(status);
}

void errx(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	message(NULL, format, args);
	va_end(args);
	exit(status);
}
