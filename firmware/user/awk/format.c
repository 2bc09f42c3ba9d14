/* SPDX-License-Identifier: GPL-2.0-only */
/* printf's conversions, for values. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "awk.h"

#define WIDEST		4096		/* of a width or precision */

struct output {
	char *bytes;
	size_t length, room;
};

static void put(struct output *to, const char *bytes, size_t length)
{
	if (to->length + length + 1 > to->room) {
		to->room = 2 * (to->length + length) + 64;
		to->bytes = xrealloc(to->bytes, to->room);
	}
	memcpy(to->bytes + to->length, bytes, length);
	to->length += length;
}

static void put_many(struct output *to, char c, int count)
{
	while (count-- > 0)
		put(to, &c, 1);
}

struct conversion {
	bool left, zero, plus, space, alternate;
	int width;
	int precision;			/* -1: none */
	char kind;
};

/* A sign or prefix, then the rest: zeros stand between them. */
static void put_padded(struct output *to, const struct conversion *how,
		       const char *sign, const char *text, size_t length,
		       bool zeros)
{
	int padding = how->width - (int)strlen(sign) - (int)length;

	zeros &= how->zero && !how->left;
	if (!how->left && !zeros)
		put_many(to, ' ', padding);
	put(to, sign, strlen(sign));
	if (zeros)
		put_many(to, '0', padding);
	put(to, text, length);
	if (how->left)
		put_many(to, ' ', padding);
}

static const char *sign_of(const struct conversion *how, bool negative)
{
	return negative ? "-" : how->plus ? "+" : how->space ? " " : "";
}

static void put_integer(struct output *to, const struct conversion *how,
			double number)
{
	unsigned int base = how->kind == 'o' ? 8 :
			    how->kind == 'x' || how->kind == 'X' ? 16 : 10;
	bool is_signed = how->kind == 'd' || how->kind == 'i';
	bool negative = number < 0;
	char digits[WIDEST + 64], *at = digits + sizeof(digits);
	unsigned long value;
	const char *sign = is_signed ? sign_of(how, negative) : "";

	value = (unsigned long)(long)(negative ? -number : number);
	if (negative && !is_signed)
		value = -value;
	while (value || (at == digits + sizeof(digits) && how->precision)) {
		*--at = (how->kind == 'X' ? "0123456789ABCDEF" :
					    "0123456789abcdef")[value % base];
		value /= base;
	}
	while (digits + sizeof(digits) - at < how->precision)
		*--at = '0';
	if (how->alternate && base == 8 && *at != '0')
		*--at = '0';
	if (how->alternate && base == 16 && number != 0)
		sign = how->kind == 'X' ? "0X" : "0x";
	put_padded(to, how, sign, at, digits + sizeof(digits) - at,
		   how->precision < 0);
}

static void put_fixed(struct output *digits, struct decimal *decimal,
		      int precision, bool point)
{
	round_decimal(decimal, decimal->point + precision);
	for (int i = decimal->point < 1 ? decimal->point - 1 : 0;
	     i < decimal->point + precision; i++) {
		bool known = i >= 0 && i < decimal->count;

		if (decimal->point < 1 && i == decimal->point - 1) {
			put(digits, "0", 1);	/* before the point */
			if (precision > 0 || point)
				put(digits, ".", 1);
			continue;
		}
		put(digits, known ? &decimal->digits[i] : "0", 1);
		if (i == decimal->point - 1 && (precision > 0 || point))
			put(digits, ".", 1);
	}
}

static void put_exponential(struct output *digits, struct decimal *decimal,
			    int precision, bool point, char letter)
{
	bool zero = decimal->digits[0] == '0';
	char exponent[16];

	round_decimal(decimal, precision + 1);
	put(digits, decimal->digits, 1);
	if (precision > 0 || point)
		put(digits, ".", 1);
	for (int i = 1; i <= precision; i++)
		put(digits, i < decimal->count ? &decimal->digits[i] : "0", 1);
	snprintf(exponent, sizeof(exponent), "%c%c%02d", letter,
		 !zero && decimal->point < 1 ? '-' : '+',
		 zero ? 0 : decimal->point < 1 ? 1 - decimal->point :
						 decimal->point - 1);
	put(digits, exponent, strlen(exponent));
}

/* What stands before an exponent, or all of it, loses zeros at its end. */
static void strip_zeros(struct output *digits)
{
	size_t end = digits->length, tail = 0;

	for (size_t i = 0; i < digits->length; i++)
		if (digits->bytes[i] == 'e' || digits->bytes[i] == 'E')
			end = i;
	if (!memchr(digits->bytes, '.', end))
		return;
	tail = digits->length - end;
	while (end > 0 && digits->bytes[end - 1] == '0')
		end--;
	if (end > 0 && digits->bytes[end - 1] == '.')
		end--;
	memmove(digits->bytes + end, digits->bytes + digits->length - tail, tail);
	digits->length = end + tail;
}

static void put_general(struct output *digits, struct decimal *decimal,
			int precision, bool alternate, char letter)
{
	struct decimal rounded = *decimal;
	int exponent;

	if (precision == 0)
		precision = 1;
	round_decimal(&rounded, precision);
	exponent = rounded.digits[0] == '0' ? 0 : rounded.point - 1;
	if (exponent < -4 || exponent >= precision)
		put_exponential(digits, decimal, precision - 1, alternate, letter);
	else
		put_fixed(digits, decimal, precision - 1 - exponent, alternate);
	if (!alternate)
		strip_zeros(digits);
}

static void put_double(struct output *to, const struct conversion *how,
		       double number)
{
	union { double number; unsigned long bits; } shape = { .number = number };
	const char *sign = sign_of(how, shape.bits >> 63);
	bool upper = isupper(how->kind);
	int precision = how->precision < 0 ? 6 : how->precision;
	struct output digits = {};
	struct decimal decimal;

	if (is_nan(number) || is_infinite(number)) {
		put_padded(to, how, sign, is_nan(number) ?
			   (upper ? "NAN" : "nan") : (upper ? "INF" : "inf"), 3,
			   false);
		return;
	}
	to_decimal(number < 0 ? -number : number, &decimal);
	switch (tolower(how->kind)) {
	case 'f':
		put_fixed(&digits, &decimal, precision, how->alternate);
		break;
	case 'e':
		put_exponential(&digits, &decimal, precision, how->alternate,
				how->kind);
		break;
	default:
		put_general(&digits, &decimal, precision, how->alternate,
			    upper ? 'E' : 'e');
		break;
	}
	put_padded(to, how, sign, digits.bytes, digits.length, true);
	free(digits.bytes);
}

static void put_text(struct output *to, const struct conversion *how,
		     const struct value *value)
{
	struct text *text = as_text(value);
	size_t length = text->length;

	if (how->precision >= 0 && (size_t)how->precision < length)
		length = how->precision;
	put_padded(to, how, "", text->bytes, length, false);
	text_put(text);
}

/* A number is a character's code; of a string, its first. */
static void put_char(struct output *to, const struct conversion *how,
		     const struct value *value)
{
	char c = (int)to_number(value);

	if (value->kind == STRING || value->kind == STRNUM)
		c = value->text->bytes[0];
	put_padded(to, how, "", &c,
		   value->kind == NUMBER || value->kind == UNSET || c, false);
}

static void convert(struct output *to, const struct conversion *how,
		    const struct value *value)
{
	double number;

	switch (how->kind) {
	case 'c':
		put_char(to, how, value);
		break;
	case 's':
		put_text(to, how, value);
		break;
	case 'd':
	case 'i':
	case 'o':
	case 'x':
	case 'X':
	case 'u':
		number = truncated(to_number(value));
		if (!(number > -9e18 && number < 9e18)) {
			struct conversion large = *how;

			large.kind = 'f';
			large.precision = 0;
			put_double(to, &large, number);
		} else {
			put_integer(to, how, number);
		}
		break;
	default:
		put_double(to, how, to_number(value));
		break;
	}
}

static const char *parse_number_or_star(const char *at, int *number,
					struct value *values, int count,
					int *used)
{
	*number = 0;
	if (*at == '*') {
		if (*used < count)
			*number = (int)to_number(&values[(*used)++]);
		at++;
	} else {
		for (; isdigit(*at); at++)
			if (*number < WIDEST)
				*number = *number * 10 + (*at - '0');
	}
	if (*number > WIDEST)
		*number = WIDEST;
	if (*number < -WIDEST)
		*number = -WIDEST;
	return at;
}

static const char *parse_conversion(const char *at, struct conversion *how,
				    struct value *values, int count, int *used)
{
	*how = (struct conversion){ .precision = -1 };
	for (;; at++) {
		if (*at == '-')
			how->left = true;
		else if (*at == '0')
			how->zero = true;
		else if (*at == '+')
			how->plus = true;
		else if (*at == ' ')
			how->space = true;
		else if (*at == '#')
			how->alternate = true;
		else
			break;
	}
	at = parse_number_or_star(at, &how->width, values, count, used);
	if (how->width < 0) {
		how->left = true;
		how->width = -how->width;
	}
	if (*at == '.')
		at = parse_number_or_star(at + 1, &how->precision, values, count,
					  used);
	if (how->precision < -1)
		how->precision = -1;
	while (*at && strchr("hlLqjzt", *at))
		at++;
	how->kind = *at;
	return at;
}

struct text *format_values(const struct text *format, struct value *values,
			   int count)
{
	const char *at = format->bytes, *end = at + format->length;
	struct output to = {};
	struct text *made;
	int used = 0;

	while (at < end) {
		struct conversion how;
		const char *start = at;

		while (at < end && *at != '%')
			at++;
		put(&to, start, at - start);
		if (at == end)
			break;
		start = at++;
		if (at < end && *at == '%') {
			put(&to, at++, 1);
			continue;
		}
		at = parse_conversion(at, &how, values, count, &used);
		if (!how.kind || !strchr("cdiouxXeEfFgGs", how.kind)) {
			/* No conversion: it stands for itself. */
			at = at < end ? at + 1 : end;
			put(&to, start, at - start);
			continue;
		}
		at++;
		if (used >= count)
			fatal("not enough arguments for the format '%s'",
			      format->bytes);
		convert(&to, &how, &values[used++]);
	}
	made = text_new(to.bytes ? to.bytes : "", to.length);
	free(to.bytes);
	return made;
}

struct text *format_number(const char *format, double number)
{
	struct value value = value_number(number);
	struct text *how, *made;
	char digits[32];

	if (number == truncated(number) && number > -1e16 && number < 1e16) {
		snprintf(digits, sizeof(digits), "%ld", (long)number);
		return text_new(digits, strlen(digits));
	}
	if (number == truncated(number) && !is_infinite(number))
		format = "%d";
	how = text_new(format, strlen(format));
	made = format_values(how, &value, 1);
	text_put(how);
	return made;
}
