/* SPDX-License-Identifier: GPL-2.0-only */
/* printf, the command: the format is used again while arguments are left. */
#include <commands.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Formats are put together here: gcc cannot check them. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static char **arguments;
static complain_fn *say;
static int status;

int escaped_char(const char **text, bool zero)
{
	static const char names[] = "abefnrtv\\", values[] = "\a\b\033\f\n\r\t\v\\";
	const char *at = *text;
	const char *name = *at ? strchr(names, *at) : NULL;
	int value = 0, digits = 3;

	if (name) {
		*text = at + 1;
		return (unsigned char)values[name - names];
	}
	if (*at < '0' || *at > '7')
		return -1;
	if (zero && *at == '0')
		at++;
	for (; digits > 0 && *at >= '0' && *at <= '7'; digits--)
		value = value * 8 + *at++ - '0';
	*text = at;
	return value & 0xff;
}

static const char *argument(void)
{
	return *arguments ? *arguments++ : NULL;
}

static long number(bool is_signed)
{
	const char *text = argument();
	char *end;
	long value;

	if (!text)
		return 0;
	if (*text == '"' || *text == '\'')
		return (unsigned char)text[1];
	errno = 0;
	value = is_signed || *text == '-' ? strtol(text, &end, 0) :
					    (long)strtoul(text, &end, 0);
	if (!*text)
		return 0;
	if (errno)
		say("%s: %s", text, strerror(errno));
	else if (end == text)
		say("%s: expected numeric value", text);
	else if (*end)
		say("%s: not completely converted", text);
	if (errno || end == text || *end)
		status = 1;
	return value;
}

/* %b: with escapes; \c ends all output. */
static char *with_escapes(const char *text, bool *ends)
{
	char *result = xmalloc(strlen(text) + 1);
	char *to = result;

	while (*text) {
		int c = (unsigned char)*text++;

		if (c == '\\' && *text == 'c') {
			*ends = true;
			break;
		}
		if (c == '\\') {
			int escaped = escaped_char(&text, *text == '0');

			if (escaped >= 0)
				c = escaped;
		}
		*to++ = c;
	}
	*to = '\0';
	return result;
}

/* One conversion, from after the %; NULL: output ends here. */
static const char *convert(const char *format)
{
	char spec[64] = "%";
	size_t length = 1 + strspn(format, "-+ #0");
	int width = 0, precision = -1;
	bool ends = false;
	char *text;

	if (length > 16)
		return NULL;
	memcpy(spec + 1, format, length - 1);
	format += length - 1;
	if (*format == '*') {
		width = number(true);
		format++;
	} else {
		width = strtol(format, (char **)&format, 10);
	}
	if (*format == '.') {
		format++;
		if (*format == '*') {
			precision = number(true);
			format++;
		} else {
			precision = strtol(format, (char **)&format, 10);
		}
	}
	strcpy(spec + length, "*.*");
	length += 3;
	/* As C has them; every number is a long. */
	format += strspn(format, "hljzt");
	switch (*format) {
	case 's':
		text = (char *)argument();
		spec[length] = 's';
		printf(spec, width, precision, text ? text : "");
		break;
	case 'b':
		text = (char *)argument();
		text = with_escapes(text ? text : "", &ends);
		spec[length] = 's';
		printf(spec, width, precision, text);
		free(text);
		break;
	case 'c':
		text = (char *)argument();
		strcpy(spec + length, "s");
		printf(spec, width, text && *text ? 1 : 0, text ? text : "");
		break;
	case 'd':
	case 'i':
	case 'o':
	case 'u':
	case 'x':
	case 'X':
		spec[length] = 'l';
		spec[length + 1] = *format;
		printf(spec, width, precision,
		       number(*format == 'd' || *format == 'i'));
		break;
	case '\0':
		say("missing format character");
		status = 1;
		return NULL;
	default:
		say("%%%c: invalid directive", *format);
		status = 1;
		return NULL;
	}
	return ends ? NULL : format + 1;
}

/* Once through the format; false: output ends. */
static bool run(const char *format)
{
	while (*format) {
		int c = (unsigned char)*format++;

		if (c == '\\') {
			int escaped;

			if (*format == 'c')
				return false;
			escaped = escaped_char(&format, false);
			putchar(escaped >= 0 ? escaped : c);
		} else if (c != '%') {
			putchar(c);
		} else if (*format == '%') {
			putchar(*format++);
		} else {
			format = convert(format);
			if (!format)
				return false;
		}
	}
	return true;
}

int command_printf(int argc, char **argv, complain_fn *complain)
{
	int first = argc > 1 && !strcmp(argv[1], "--") ? 2 : 1;

	say = complain;
	status = 0;
	if (first >= argc) {
		say("usage: printf format [arg ...]");
		return 2;
	}
	arguments = argv + first + 1;
	for (;;) {
		char **before = arguments;

		if (!run(argv[first]))
			break;
		if (!*arguments || arguments == before)
			break;
	}
	return status;
}
