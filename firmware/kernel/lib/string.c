/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory and strings. gcc calls the first four on its own account. */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/string.h>

#define WORD		sizeof(unsigned long)
#define BLOCK		(8 * WORD)

/* A word at any address: one load where the machine allows it. */
struct unaligned {
	unsigned long word;
} __packed __attribute__((may_alias));

typedef unsigned long __attribute__((may_alias)) aliasing_word;

static __always_inline void copy_block(aliasing_word *to,
				       const struct unaligned *from)
{
	unsigned long a = from[0].word, b = from[1].word;
	unsigned long c = from[2].word, d = from[3].word;
	unsigned long e = from[4].word, f = from[5].word;
	unsigned long g = from[6].word, h = from[7].word;

	to[0] = a;
	to[1] = b;
	to[2] = c;
	to[3] = d;
	to[4] = e;
	to[5] = f;
	to[6] = g;
	to[7] = h;
}

/* To words. */
static __always_inline void copy_words(char *to, const char *from, size_t n)
{
	for (; n >= BLOCK; n -= BLOCK, to += BLOCK, from += BLOCK)
		copy_block((aliasing_word *)to, (const struct unaligned *)from);
	for (; n >= WORD; n -= WORD, to += WORD, from += WORD)
		*(aliasing_word *)to = ((const struct unaligned *)from)->word;
	while (n--)
		*to++ = *from++;
}

/*
 * Upwards: also right for overlapping areas if dest is below src. Where words
 * have to be aligned, it is good to know if they are.
 */
void *memcpy(void *dest, const void *src, size_t n)
{
	char *to = dest;
	const char *from = src;

	while (n && ((unsigned long)to & (WORD - 1))) {
		*to++ = *from++;
		n--;
	}
	if ((unsigned long)from & (WORD - 1))
		copy_words(to, from, n);
	else
		copy_words(to, __builtin_assume_aligned(from, WORD), n);
	return dest;
}

void *memmove(void *dest, const void *src, size_t n)
{
	char *to = dest;
	const char *from = src;

	if (to <= from || to >= from + n)
		return memcpy(dest, src, n);
	to += n;
	from += n;
	while (n && ((unsigned long)to & (WORD - 1))) {
		*--to = *--from;
		n--;
	}
	for (; n >= WORD; n -= WORD) {
		to -= WORD;
		from -= WORD;
		*(aliasing_word *)to = ((const struct unaligned *)from)->word;
	}
	while (n--)
		*--to = *--from;
	return dest;
}

void *memset(void *s, int c, size_t n)
{
	unsigned long word = (~0UL / 255) * (unsigned char)c;
	char *to = s;

	while (n && ((unsigned long)to & (WORD - 1))) {
		*to++ = c;
		n--;
	}
	for (; n >= BLOCK; n -= BLOCK, to += BLOCK) {
		aliasing_word *w = (aliasing_word *)to;

		w[0] = word;
		w[1] = word;
		w[2] = word;
		w[3] = word;
		w[4] = word;
		w[5] = word;
		w[6] = word;
		w[7] = word;
	}
	for (; n >= WORD; n -= WORD, to += WORD)
		*(aliasing_word *)to = word;
	while (n--)
		*to++ = c;
	return s;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *p = a, *q = b;

	for (; n >= WORD; n -= WORD, p += WORD, q += WORD)
		if (((const struct unaligned *)p)->word !=
		    ((const struct unaligned *)q)->word)
			break;
	for (; n; n--, p++, q++)
		if (*p != *q)
			return *p - *q;
	return 0;
}

void *memchr(const void *s, int c, size_t n)
{
	const unsigned char *p = s;

	for (; n; n--, p++)
		if (*p == (unsigned char)c)
			return (void *)p;
	return NULL;
}

size_t strlen(const char *s)
{
	const char *end = s;

	while (*end)
		end++;
	return end - s;
}

size_t strnlen(const char *s, size_t max)
{
	size_t n = 0;

	while (n < max && s[n])
		n++;
	return n;
}

int strcmp(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return (unsigned char)*a - (unsigned char)*b;
}

int strncmp(const char *a, const char *b, size_t n)
{
	for (; n; n--, a++, b++)
		if (*a != *b || !*a)
			return (unsigned char)*a - (unsigned char)*b;
	return 0;
}

int strcasecmp(const char *a, const char *b)
{
	while (*a && tolower(*a) == tolower(*b)) {
		a++;
		b++;
	}
	return (unsigned char)tolower(*a) - (unsigned char)tolower(*b);
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
	const char *last = NULL;

	do {
		if (*s == (char)c)
			last = s;
	} while (*s++);
	return (char *)last;
}

ssize_t strscpy(char *dest, const char *src, size_t size)
{
	size_t n = strnlen(src, size);

	if (!size)
		return -E2BIG;
	if (n == size) {
		memcpy(dest, src, n - 1);
		dest[n - 1] = '\0';
		return -E2BIG;
	}
	memcpy(dest, src, n + 1);
	return n;
}

const char *kbasename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *strsep(char **s, const char *delimiters)
{
	char *token = *s, *end;

	if (!token)
		return NULL;
	for (end = token; *end && !strchr(delimiters, *end); end++)
		;
	*s = *end ? end + 1 : NULL;
	*end = '\0';
	return token;
}

char *strim(char *s)
{
	char *end;

	while (isspace(*s))
		s++;
	end = s + strlen(s);
	while (end > s && isspace(end[-1]))
		end--;
	*end = '\0';
	return s;
}
