/* SPDX-License-Identifier: GPL-2.0-only */
/* Formatted text in memory. */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/string.h>

#define NUMBER_DIGITS	22	/* of 2^64 in octal */

struct out {
	char	*buf;
	size_t	size;
	size_t	len;	/* of the whole text, stored or not */
};

struct spec {
	bool	left, plus, space, zero, alternate, upper;
	bool	width_is_argument, precision_is_argument;
	int	width;
	int	precision;	/* -1: none given */
	int	longs;		/* -1: short, -2: char */
};

static notrace void put(struct out *out, char c)
{
	if (out->len < out->size)
		out->buf[out->len] = c;
	out->len++;
}

static notrace void pad(struct out *out, char c, int n)
{
	while (n-- > 0)
		put(out, c);
}

static notrace void put_string(struct out *out, const char *s,
			       const struct spec *spec)
{
	int len;

	if (!s)
		s = "(null)";
	len = spec->precision < 0 ? strlen(s) : strnlen(s, spec->precision);
	if (!spec->left)
		pad(out, ' ', spec->width - len);
	for (int i = 0; i < len; i++)
		put(out, s[i]);
	if (spec->left)
		pad(out, ' ', spec->width - len);
}

/* Digits are made from the last to the first. */
static notrace int format_digits(char *digits, u64 value, unsigned int base,
				 bool upper)
{
	const char *symbols = upper ? "0123456789ABCDEF" : "0123456789abcdef";
	int n = 0;

	for (; value; value /= base)
		digits[n++] = symbols[value % base];
	return n;
}

static notrace void put_number(struct out *out, u64 value, bool negative,
			       unsigned int base, const struct spec *spec)
{
	char digits[NUMBER_DIGITS];
	const char *prefix = "";
	int n, zeros, total;

	if (negative)
		prefix = "-";
	else if (spec->plus)
		prefix = "+";
	else if (spec->space)
		prefix = " ";
	else if (spec->alternate && value && base == 16)
		prefix = spec->upper ? "0X" : "0x";
	else if (spec->alternate && base == 8)
		prefix = "0";

	n = format_digits(digits, value, base, spec->upper);
	zeros = (spec->precision < 0 ? 1 : spec->precision) - n;
	if (zeros < 0)
		zeros = 0;
	total = strlen(prefix) + zeros + n;
	if (spec->zero && !spec->left && spec->precision < 0 &&
	    spec->width > total) {
		zeros += spec->width - total;
		total = spec->width;
	}

	if (!spec->left)
		pad(out, ' ', spec->width - total);
	while (*prefix)
		put(out, *prefix++);
	pad(out, '0', zeros);
	while (n)
		put(out, digits[--n]);
	if (spec->left)
		pad(out, ' ', spec->width - total);
}

static notrace const char *parse_flags(const char *fmt, struct spec *spec)
{
	for (;; fmt++) {
		switch (*fmt) {
		case '-': spec->left = true; break;
		case '+': spec->plus = true; break;
		case ' ': spec->space = true; break;
		case '0': spec->zero = true; break;
		case '#': spec->alternate = true; break;
		default: return fmt;
		}
	}
}

static notrace const char *parse_int(const char *fmt, int *value)
{
	for (*value = 0; isdigit(*fmt); fmt++)
		*value = *value * 10 + *fmt - '0';
	return fmt;
}

/* What is between the '%' and the conversion's letter, which is returned. */
static notrace const char *parse_spec(const char *fmt, struct spec *spec)
{
	*spec = (struct spec){ .precision = -1 };
	fmt = parse_flags(fmt, spec);
	if (*fmt == '*') {
		spec->width_is_argument = true;
		fmt++;
	} else {
		fmt = parse_int(fmt, &spec->width);
	}
	if (*fmt == '.' && fmt[1] == '*') {
		spec->precision_is_argument = true;
		fmt += 2;
	} else if (*fmt == '.') {
		fmt = parse_int(fmt + 1, &spec->precision);
	}
	for (; *fmt == 'h'; fmt++)
		spec->longs--;
	for (; *fmt == 'l' || *fmt == 'z'; fmt++)
		spec->longs++;
	return fmt;
}

static notrace void set_width(struct spec *spec, int width)
{
	spec->left |= width < 0;
	spec->width = width < 0 ? -width : width;
}

int vsnprintf(char *buf, size_t size, const char *fmt, va_list args)
{
	struct out out = { .buf = buf, .size = size };

	for (; *fmt; fmt++) {
		struct spec spec;
		unsigned int base = 10;
		u64 value;

		if (*fmt != '%') {
			put(&out, *fmt);
			continue;
		}
		fmt = parse_spec(fmt + 1, &spec);
		if (spec.width_is_argument)
			set_width(&spec, va_arg(args, int));
		if (spec.precision_is_argument)
			spec.precision = va_arg(args, int);

		switch (*fmt) {
		case 'c':
			spec.precision = 1;
			put_string(&out, (char[]){ va_arg(args, int), 0 },
				   &spec);
			continue;
		case 's':
			put_string(&out, va_arg(args, const char *), &spec);
			continue;
		case 'p':
			spec.precision = 2 * sizeof(void *);
			value = (unsigned long)va_arg(args, void *);
			put_number(&out, value, false, 16, &spec);
			continue;
		case 'd':
		case 'i':
			value = spec.longs > 0 ? va_arg(args, long) :
						 va_arg(args, int);
			if (spec.longs == -1)
				value = (short)value;
			else if (spec.longs < -1)
				value = (signed char)value;
			if ((s64)value < 0)
				put_number(&out, -value, true, 10, &spec);
			else
				put_number(&out, value, false, 10, &spec);
			continue;
		case 'X':
			spec.upper = true;
			fallthrough;
		case 'x':
			base = 16;
			break;
		case 'o':
			base = 8;
			break;
		case 'u':
			break;
		case '\0':
			fmt--;
			continue;
		default:
			put(&out, *fmt);
			continue;
		}
		value = spec.longs > 0 ? va_arg(args, unsigned long) :
					 va_arg(args, unsigned int);
		if (spec.longs == -1)
			value = (u16)value;
		else if (spec.longs < -1)
			value = (u8)value;
		put_number(&out, value, false, base, &spec);
	}

	if (size)
		buf[min(out.len, size - 1)] = '\0';
	return out.len;
}

int snprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(buf, size, fmt, args);
	va_end(args);
	return len;
}

int scnprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	size_t len;

	if (!size)
		return 0;
	va_start(args, fmt);
	len = vsnprintf(buf, size, fmt, args);
	va_end(args);
	return min(len, size - 1);
}

/* Numbers of more than one byte begin at a multiple of their size, or of 4. */
static notrace void save(struct out *out, const void *value, size_t size)
{
	const char *bytes = value;
	size_t align = min(size, sizeof(u32));

	while (out->len % align)
		put(out, 0);
	for (size_t i = 0; i < size; i++)
		put(out, bytes[i]);
}

static notrace void save_int(struct out *out, int value)
{
	save(out, &value, sizeof(value));
}

static notrace void save_long(struct out *out, long value)
{
	save(out, &value, sizeof(value));
}

/*
 * The arguments of a text, without the text: numbers in their own size,
 * strings with their NUL. Returns how many words that takes; if it is more
 * than @size, they are not complete.
 */
int vbin_printf(u32 *bin_buf, size_t size, const char *fmt, va_list args)
{
	struct out out = { .buf = (char *)bin_buf, .size = 4 * size };

	for (; *fmt; fmt++) {
		struct spec spec;
		const char *s;

		if (*fmt != '%')
			continue;
		fmt = parse_spec(fmt + 1, &spec);
		if (spec.width_is_argument)
			save_int(&out, va_arg(args, int));
		if (spec.precision_is_argument)
			save_int(&out, va_arg(args, int));

		switch (*fmt) {
		case 'c':
			spec.longs = -2;
			break;
		case 's':
			s = va_arg(args, const char *);
			if (!s)
				s = "(null)";
			do
				put(&out, *s);
			while (*s++);
			continue;
		case 'p':
			spec.longs = 1;
			break;
		case 'd': case 'i': case 'u':
		case 'o': case 'x': case 'X':
			break;
		case '\0':
			fmt--;
			continue;
		default:
			continue;
		}
		if (spec.longs > 0)
			save_long(&out, va_arg(args, long));
		else if (spec.longs == 0)
			save_int(&out, va_arg(args, int));
		else if (spec.longs == -1)
			save(&out, &(short){ va_arg(args, int) },
			     sizeof(short));
		else
			put(&out, va_arg(args, int));
	}
	return DIV_ROUND_UP(out.len, sizeof(u32));
}
