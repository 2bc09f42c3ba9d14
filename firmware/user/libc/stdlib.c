/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers from strings, and sorting. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

long parse_number(const char *s)
{
	long value = 0;

	if (!*s)
		return -1;
	for (; *s; s++) {
		if (!isdigit(*s) || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, *s - '0', &value))
			return -1;
	}
	return value;
}

/* A digit's value in any base up to 36; 36 if it is none. */
static unsigned int digit(char c)
{
	if (isdigit(c))
		return c - '0';
	return isalpha(c) ? tolower(c) - 'a' + 10 : 36;
}

/* Skips white space, the sign and the prefix of the base. */
static const char *number_start(const char *s, bool *negative, int *base)
{
	while (isspace(*s))
		s++;
	*negative = *s == '-';
	if (*s == '-' || *s == '+')
		s++;
	if ((*base == 0 || *base == 16) && s[0] == '0' &&
	    (s[1] == 'x' || s[1] == 'X') && digit(s[2]) < 16) {
		*base = 16;
		return s + 2;
	}
	if (*base == 0)
		*base = *s == '0' ? 8 : 10;
	return s;
}

/* The digits at s; UINT64_MAX and *overflow if they are too many. */
static unsigned long magnitude(const char *s, const char **end,
			       unsigned int base, bool *overflow)
{
	unsigned long value = 0;

	*overflow = false;
	for (; digit(*s) < base; s++)
		*overflow |= __builtin_mul_overflow(value, base, &value) ||
			     __builtin_add_overflow(value, digit(*s), &value);
	*end = s;
	return value;
}

unsigned long strtoul(const char *s, char **end, int base)
{
	bool negative, overflow;
	const char *start = number_start(s, &negative, &base);
	const char *after;
	unsigned long value = magnitude(start, &after, base, &overflow);

	if (end)
		*end = (char *)(after == start ? s : after);
	if (overflow) {
		errno = ERANGE;
		return -1UL;
	}
	return negative ? -value : value;
}

long strtol(const char *s, char **end, int base)
{
	bool negative, overflow;
	const char *start = number_start(s, &negative, &base);
	const char *after;
	unsigned long value = magnitude(start, &after, base, &overflow);
	unsigned long limit = (unsigned long)LONG_MAX + negative;

	if (end)
		*end = (char *)(after == start ? s : after);
	if (overflow || value > limit) {
		errno = ERANGE;
		value = limit;
	}
	return negative ? -value : value;
}

int atoi(const char *s)
{
	return strtol(s, NULL, 10);
}

static void swap(char *a, char *b, size_t size)
{
	while (size--) {
		char byte = *a;

		*a++ = *b;
		*b++ = byte;
	}
}

/* Lets the element at root sink in a heap whose largest is on top. */
static void sift(char *base, size_t root, size_t count, size_t size,
		 int (*compare)(const void *, const void *))
{
	for (;;) {
		size_t child = 2 * root + 1;

		if (child >= count)
			return;
		if (child + 1 < count &&
		    compare(base + child * size, base + (child + 1) * size) < 0)
			child++;
		if (compare(base + root * size, base + child * size) >= 0)
			return;
		swap(base + root * size, base + child * size, size);
		root = child;
	}
}

/* Heap sort: no memory, no recursion, no bad inputs. */
void qsort(void *base, size_t count, size_t size,
	   int (*compare)(const void *, const void *))
{
	for (size_t root = count / 2; root-- > 0;)
		sift(base, root, count, size, compare);
	while (count-- > 1) {
		swap(base, (char *)base + count * size, size);
		sift(base, 0, count, size, compare);
	}
}
