/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Formatted output: %c %s %d %i %u %x %X %o %p %%, with the flags - + space #
 * and 0, a width, a precision (both may be *), and the sizes hh h l ll z j t.
 */
#include <ctype.h>
#include <string.h>

#include "stream.h"

/* One conversion, taken apart. */
struct spec {
	bool left;
	bool zero;
	bool plus;
	bool space;
	bool alternate;
	int width;
	int precision;		/* -1: none */
	int size;		/* 1: l and its like; -1, -2: h, hh */
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

/* The prefix is a sign or 0x: it stands before the zeros. */
static int put_number(FILE *f, const struct spec *spec, unsigned long value,
		      const char *prefix, unsigned int base, bool upper)
{
	const char *const symbols = upper ? "0123456789ABCDEF" :
					    "0123456789abcdef";
	char digits[32];
	char *at = digits + sizeof(digits);
	int length, zeros, padding;

	/* Zero with a precision of zero has no digits. */
	for (; value || (at == digits + sizeof(digits) && spec->precision);
	     value /= base)
		*--at = symbols[value % base];
	length = digits + sizeof(digits) - at;
	zeros = spec->precision - length;
	if (base == 8 && spec->alternate && zeros <= 0 && (!length || *at != '0'))
		zeros = 1;
	if (spec->precision < 0 && spec->zero && !spec->left)
		zeros = spec->width - length - (int)strlen(prefix);
	if (zeros < 0)
		zeros = 0;
	padding = spec->width - length - zeros - (int)strlen(prefix);
	if (padding < 0)
		padding = 0;
	if (!spec->left)
		pad(f, ' ', padding);
	fputs(prefix, f);
	pad(f, '0', zeros);
	fwrite(at, 1, length, f);
	if (spec->left)
		pad(f, ' ', padding);
	return strlen(prefix) + zeros + length + padding;
}

static int put_string(FILE *f, const struct spec *spec, const char *s)
{
	if (!s)
		s = "(null)";
	return put_padded(f, spec, s, spec->precision < 0 ? strlen(s) :
				      strnlen(s, spec->precision));
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

static const char *parse_flags(const char *format, struct spec *spec)
{
	for (;; format++) {
		switch (*format) {
		case '-':
			spec->left = true;
			break;
		case '0':
			spec->zero = true;
			break;
		case '+':
			spec->plus = true;
			break;
		case ' ':
			spec->space = true;
			break;
		case '#':
			spec->alternate = true;
			break;
		default:
			return format;
		}
	}
}

static const char *parse_spec(const char *format, va_list *args,
			      struct spec *spec)
{
	*spec = (struct spec) { .precision = -1 };
	format = parse_flags(format, spec);
	format = parse_count(format, args, &spec->width);
	if (spec->width < 0) {
		spec->left = true;
		spec->width = -spec->width;
	}
	if (*format == '.') {
		format = parse_count(format + 1, args, &spec->precision);
		if (spec->precision < 0)
			spec->precision = -1;
	}
	for (; *format && strchr("lzjth", *format); format++)
		spec->size = *format == 'h' ? spec->size - 1 : 1;
	return format;
}

static int put_signed(FILE *f, const struct spec *spec, va_list *args)
{
	long value = spec->size > 0 ? va_arg(*args, long) : va_arg(*args, int);
	unsigned long magnitude;

	if (spec->size < 0)
		value = spec->size == -1 ? (short)value : (signed char)value;
	magnitude = value;
	return put_number(f, spec, value < 0 ? -magnitude : magnitude,
			  value < 0 ? "-" : spec->plus ? "+" :
			  spec->space ? " " : "", 10, false);
}

static int put_unsigned(FILE *f, const struct spec *spec, va_list *args,
			unsigned int base, bool upper)
{
	unsigned long value = spec->size > 0 ? va_arg(*args, unsigned long) :
					       va_arg(*args, unsigned int);

	if (spec->size < 0)
		value = spec->size == -1 ? (unsigned short)value :
					   (unsigned char)value;
	return put_number(f, spec, value, base == 16 && spec->alternate &&
			  value ? (upper ? "0X" : "0x") : "", base, upper);
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
		return put_unsigned(f, spec, args, 10, false);
	case 'x':
	case 'X':
		return put_unsigned(f, spec, args, 16, kind == 'X');
	case 'o':
		return put_unsigned(f, spec, args, 8, false);
	case 'p':
		return put_number(f, spec,
				  (unsigned long)va_arg(*args, void *),
				  "0x", 16, false);
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
	if (!f->error)
		f->error = whole.error;
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

int vprintf(const char *format, va_list args)
{
	return vfprintf(stdout, format, args);
}

/* The caller knows that there is room. */
int sprintf(char *to, const char *format, ...)
{
	va_list args;
	int total;

	va_start(args, format);
	total = vsnprintf(to, 1UL << 30, format, args);
	va_end(args);
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
	total = vprintf(format, args);
	va_end(args);
	return total;
}
