/* SPDX-License-Identifier: GPL-2.0-only */
/* test EXPRESSION, [ EXPRESSION ]: status 0 if it is true, 1 if not. */
#include <commands.h>
#include <err.h>
#include <stdarg.h>

static void complain(const char *format, ...)
{
	char text[256];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	warnx("%s", text);
}

int main(int argc, char **argv)
{
	return command_test(argc, argv, complain);
}
