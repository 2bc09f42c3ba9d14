/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers from strings, and sorting. */
#include <ctype.h>
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
