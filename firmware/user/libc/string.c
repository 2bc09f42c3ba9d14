/* SPDX-License-Identifier: GPL-2.0-only */
/* Strings and memory, a byte at a time. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void *memcpy(void *to, const void *from, size_t size)
{
	unsigned char *t = to;
	const unsigned char *f = from;

	while (size--)
		*t++ = *f++;
	return to;
}

void *memmove(void *to, const void *from, size_t size)
{
	unsigned char *t = to;
	const unsigned char *f = from;

	if (t <= f || t >= f + size)
		return memcpy(to, from, size);
	while (size--)
		t[size] = f[size];
	return to;
}

void *memset(void *to, int byte, size_t size)
{
	unsigned char *t = to;

	while (size--)
		*t++ = byte;
	return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
	const unsigned char *x = a, *y = b;

	for (; size--; x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}

void *memchr(const void *in, int byte, size_t size)
{
	const unsigned char *s = in;

	for (; size--; s++)
		if (*s == (unsigned char)byte)
			return (void *)s;
	return NULL;
}

size_t strlen(const char *s)
{
	const char *end = s;

	while (*end)
		end++;
	return end - s;
}

int strcmp(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return (unsigned char)*a - (unsigned char)*b;
}

int strncmp(const char *a, const char *b, size_t size)
{
	for (; size--; a++, b++)
		if (*a != *b || !*a)
			return (unsigned char)*a - (unsigned char)*b;
	return 0;
}

char *strchr(const char *s, int c)
{
	for (; *s != (char)c; s++)
		if (!*s)
			return NULL;
	return (char *)s;
}

char *strrchr(const char *s, int c)
{
	const char *found = NULL;

	do {
		if (*s == (char)c)
			found = s;
	} while (*s++);
	return (char *)found;
}

char *strcpy(char *to, const char *from)
{
	memcpy(to, from, strlen(from) + 1);
	return to;
}

char *strdup(const char *s)
{
	char *copy = malloc(strlen(s) + 1);

	return copy ? strcpy(copy, s) : NULL;
}

int is_class(int c, const char *name, int length)
{
#define IS(class) (length == sizeof(class) - 1 && !strncmp(name, class, length))
	if (IS("alnum"))
		return isalnum(c);
	if (IS("alpha"))
		return isalpha(c);
	if (IS("blank"))
		return isblank(c);
	if (IS("cntrl"))
		return (c >= 0 && c < ' ') || c == 0x7f;
	if (IS("digit"))
		return isdigit(c);
	if (IS("graph"))
		return isprint(c) && c != ' ';
	if (IS("lower"))
		return islower(c);
	if (IS("print"))
		return isprint(c);
	if (IS("punct"))
		return isprint(c) && c != ' ' && !isalnum(c);
	if (IS("space"))
		return isspace(c);
	if (IS("upper"))
		return isupper(c);
	if (IS("xdigit"))
		return isdigit(c) || (c >= 'a' && c <= 'f') ||
		       (c >= 'A' && c <= 'F');
#undef IS
	return 0;
}
