/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Formatted output: %c %s %d %i %u %x %o %p %%, with the flags - and 0, a
 * width, a precision for %s (both may be *), and the sizes l, ll and z.
 */
#include <ctype.h>
#include <string.h>

#include "stream.h"

/* One conversion, taken apart. */
struct spec {
	bool left;
	bool zero;
	int width;
	int precision;		/* -1: none */
	bool is_long;
};

static void pad(FILE *f, char with, int count)
{
	while (count-- > 0)
		fputc(with, f);
}

static int put_padded(FILE *f, const struct spec *spec, const char *text,
		      int length)
{
	int padding = spec->width > length ? spec->width - length : 0;

	if (!spec->left)
		pad(f, ' ', padding);
	fwrite(text, 1, length, f);
	if (spec->left)
		pad(f, ' ', padding);
	return length + padding;
}

static int put_number(FILE *f, const struct spec *spec, unsigned long value,
		      bool negative, unsigned int base)
{
	char digits[32];
	char *at = digits + sizeof(digits);
	int length, zeros = 0;

	do {
		*--at = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	length = digits + sizeof(digits) - at;
	if (!spec->zero || spec->left) {
		if (negative)
			*--at = '-';
		return put_padded(f, spec, at, length + negative);
	}
	if (negative)
		fputc('-', f);
	zeros = spec->width - length - negative;
	pad(f, '0', zeros);
	fwrite(at, 1, length, f);
	return length + negative + (zeros > 0 ? zeros : 0);
}

static int put_string(FILE *f, const struct spec *spec, const char *s)
{
	size_t length;

	if (!s)
		s = "(null)";
	if (spec->precision < 0) {
		length = strlen(s);
	} else {
		const char *end = memchr(s, '\0', spec->precision);

		length = end ? (size_t)(end - s) : (size_t)spec->precision;
	}
	return put_padded(f, spec, s, length);
}

static const char *parse_count(const char *format, va_list *args, int *count)
{
	if (*format == '*') {
		*count = va_arg(*args, int);
		return format + 1;
	}
	for (*count = 0; isdigit(*format); format++)
		*count = *count * 10 + (*format - '0');
	return format;
}

static const char *parse_spec(const char *format, va_list *args,
			      struct spec *spec)
{
	*spec = (struct spec) { .precision = -1 };
	for (; *format == '-' || *format == '0'; format++) {
		if (*format == '-')
			spec->left = true;
		else
			spec->zero = true;
	}
	format = parse_count(format, args, &spec->width);
	if (spec->width < 0) {
		spec->left = true;
		spec->width = -spec->width;
	}
	if (*format == '.')
		format = parse_count(format + 1, args, &spec->precision);
	for (; *format == 'l' || *format == 'z'; format++)
		spec->is_long = true;
	return format;
}

static int put_signed(FILE *f, const struct spec *spec, va_list *args)
{
	long value = spec->is_long ? va_arg(*args, long) : va_arg(*args, int);
	unsigned long magnitude = value;

	if (value < 0)
		magnitude = -magnitude;
	return put_number(f, spec, magnitude, value < 0, 10);
}

static int put_unsigned(FILE *f, const struct spec *spec, va_list *args,
			unsigned int base)
{
	return put_number(f, spec, spec->is_long ?
			  va_arg(*args, unsigned long) :
			  va_arg(*args, unsigned int), false, base);
}

static int convert(FILE *f, const struct spec *spec, char kind, va_list *args)
{
	char c;

	switch (kind) {
	case 'c':
		c = va_arg(*args, int);
		return put_padded(f, spec, &c, 1);
	case 's':
		return put_string(f, spec, va_arg(*args, const char *));
	case 'd':
	case 'i':
		return put_signed(f, spec, args);
	case 'u':
		return put_unsigned(f, spec, args, 10);
	case 'x':
		return put_unsigned(f, spec, args, 16);
	case 'o':
		return put_unsigned(f, spec, args, 8);
	case 'p':
		fputs("0x", f);
		return 2 + put_number(f, spec,
				      (unsigned long)va_arg(*args, void *),
				      false, 16);
	default:
		fputc(kind, f);
		return 1;
	}
}

static int format_to(FILE *f, const char *format, va_list args)
{
	va_list copy;
	int total = 0;

	/* va_list may be an array type: only a copy has a usable address. */
	va_copy(copy, args);
	while (*format) {
		size_t plain = 0;
		struct spec spec;

		while (format[plain] && format[plain] != '%')
			plain++;
		fwrite(format, 1, plain, f);
		total += plain;
		format += plain;
		if (!*format)
			break;
		format = parse_spec(format + 1, &copy, &spec);
		if (!*format)
			break;
		total += convert(f, &spec, *format++, &copy);
	}
	va_end(copy);
	return total;
}

int vfprintf(FILE *f, const char *format, va_list args)
{
	char buffer[256];
	struct file whole = {
		.fd = f->fd, .buffer = buffer, .size = sizeof(buffer)
	};
	int total;

	if (!f->unbuffered)
		return format_to(f, format, args);
	/* Gathered, so that a message is one write. */
	total = format_to(&whole, format, args);
	fflush(&whole);
	f->failed |= whole.failed;
	return total;
}

/* What does not fit is counted and dropped; the result always ends in NUL. */
int vsnprintf(char *to, size_t size, const char *format, va_list args)
{
	struct file memory = {
		.fd = -1, .memory = true, .buffer = to,
		.size = size ? size - 1 : 0
	};
	int total = format_to(&memory, format, args);

	if (size)
		to[memory.position] = '\0';
	return total;
}

int snprintf(char *to, size_t size, const char *format, ...)
{
	va_list args;
	int total;

	va_start(args, format);
	total = vsnprintf(to, size, format, args);
	va_end(args);
	return total;
}

int fprintf(FILE *f, const char *format, ...)
{
	va_list args;
	int total;

	va_start(args, format);
	total = vfprintf(f, format, args);
	va_end(args);
	return total;
}

int printf(const char *format, ...)
{
	va_list args;
	int total;

	va_start(args, format);
	total = vfprintf(stdout, format, args);
	va_end(args);
	return total;
}
