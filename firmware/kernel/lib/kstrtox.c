/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers from text: the whole of it, but for a newline at the end. */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>

static notrace int digit_value(char c)
{
	if (isdigit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'z' ? c - 'a' + 10 : 99;
}

/* Base 0: as C writes them. Returns what follows the prefix. */
static notrace const char *fix_base(const char *s, unsigned int *base)
{
	bool hex = s[0] == '0' && (s[1] | 0x20) == 'x' &&
		   digit_value(s[2]) < 16;

	if (!*base)
		*base = hex ? 16 : s[0] == '0' ? 8 : 10;
	return *base == 16 && hex ? s + 2 : s;
}

/* As many digits as there are; *end is what follows. -ERANGE on overflow. */
static notrace int parse_digits(const char *s, const char **end,
				unsigned int base, u64 *value)
{
	int err = 0;

	for (*value = 0; digit_value(*s) < base; s++) {
		unsigned int digit = digit_value(*s);

		if (*value > (U64_MAX - digit) / base)
			err = -ERANGE;
		*value = *value * base + digit;
	}
	*end = s;
	return err;
}

int kstrtoull(const char *s, unsigned int base, unsigned long long *res)
{
	const char *digits, *end;
	u64 value;
	int err;

	if (*s == '+')
		s++;
	digits = fix_base(s, &base);
	err = parse_digits(digits, &end, base, &value);
	if (end == digits)
		return -EINVAL;
	if (*end == '\n')
		end++;
	if (*end)
		return -EINVAL;
	if (!err)
		*res = value;
	return err;
}

int kstrtoll(const char *s, unsigned int base, long long *res)
{
	unsigned long long value;
	bool negative = *s == '-';
	int err = kstrtoull(s + negative, base, &value);

	if (err || (negative && s[1] == '+'))
		return err ? err : -EINVAL;
	if (value > (u64)S64_MAX + negative)
		return -ERANGE;
	*res = negative ? -value : value;
	return 0;
}

int kstrtouint(const char *s, unsigned int base, unsigned int *res)
{
	unsigned long long value;
	int err = kstrtoull(s, base, &value);

	if (err)
		return err;
	if (value != (unsigned int)value)
		return -ERANGE;
	*res = value;
	return 0;
}

int kstrtobool(const char *s, bool *res)
{
	switch (*s) {
	case 'y': case 'Y': case 't': case 'T': case '1':
		*res = true;
		return 0;
	case 'n': case 'N': case 'f': case 'F': case '0':
		*res = false;
		return 0;
	case 'o': case 'O':
		if ((s[1] | 0x20) == 'n' || (s[1] | 0x20) == 'f') {
			*res = (s[1] | 0x20) == 'n';
			return 0;
		}
	}
	return -EINVAL;
}

/* Stops at the first character that is no digit, without any complaint. */
unsigned long long simple_strtoull(const char *s, char **end, unsigned int base)
{
	const char *digits = fix_base(s, &base), *stop;
	u64 value;

	parse_digits(digits, &stop, base, &value);
	if (end)
		*end = (char *)stop;
	return value;
}

unsigned long simple_strtoul(const char *s, char **end, unsigned int base)
{
	return simple_strtoull(s, end, base);
}
