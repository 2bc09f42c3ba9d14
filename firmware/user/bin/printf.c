/* SPDX-License-Identifier: GPL-2.0-only */
/* printf FORMAT [ARGUMENT]...: prints them as the format says. */
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
	return command_printf(argc, argv, complain);
}
