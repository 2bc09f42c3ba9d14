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

char *strcat(char *to, const char *from)
{
	strcpy(to + strlen(to), from);
	return to;
}

size_t strnlen(const char *s, size_t size)
{
	const char *end = memchr(s, '\0', size);

	return end ? (size_t)(end - s) : size;
}

size_t strcspn(const char *s, const char *reject)
{
	size_t length = 0;

	while (s[length] && !strchr(reject, s[length]))
		length++;
	return length;
}

size_t strspn(const char *s, const char *accept)
{
	size_t length = 0;

	while (s[length] && strchr(accept, s[length]))
		length++;
	return length;
}

char *strpbrk(const char *s, const char *accept)
{
	s += strcspn(s, accept);
	return *s ? (char *)s : NULL;
}

char *strstr(const char *in, const char *what)
{
	size_t length = strlen(what);

	for (; *in; in++)
		if (!strncmp(in, what, length))
			return (char *)in;
	return length ? NULL : (char *)in;
}

int strncasecmp(const char *a, const char *b, size_t size)
{
	for (; size--; a++, b++) {
		int difference = tolower((unsigned char)*a) -
				 tolower((unsigned char)*b);

		if (difference || !*a)
			return difference;
	}
	return 0;
}

int strcasecmp(const char *a, const char *b)
{
	return strncasecmp(a, b, (size_t)-1);
}

/* The next of the parts between delimiters, from *rest on; NULL: no more. */
char *strsep(char **rest, const char *delimiters)
{
	char *part = *rest;

	if (!part)
		return NULL;
	*rest = strpbrk(part, delimiters);
	if (*rest)
		*(*rest)++ = '\0';
	return part;
}

char *strndup(const char *s, size_t size)
{
	size_t length = strnlen(s, size);
	char *copy = malloc(length + 1);

	if (!copy)
		return NULL;
	memcpy(copy, s, length);
	copy[length] = '\0';
	return copy;
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
		return iscntrl(c);
	if (IS("digit"))
		return isdigit(c);
	if (IS("graph"))
		return isgraph(c);
	if (IS("lower"))
		return islower(c);
	if (IS("print"))
		return isprint(c);
	if (IS("punct"))
		return ispunct(c);
	if (IS("space"))
		return isspace(c);
	if (IS("upper"))
		return isupper(c);
	if (IS("xdigit"))
		return isxdigit(c);
#undef IS
	return 0;
}
