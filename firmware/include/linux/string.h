/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory and strings. */
#ifndef _LINUX_STRING_H
#define _LINUX_STRING_H

#include <linux/compiler.h>
#include <linux/types.h>

/* What gcc may also call by itself. */
void *memcpy(void *dest, const void *src, size_t n);
void *memmove(void *dest, const void *src, size_t n);
void *memset(void *s, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);

void *memchr(const void *s, int c, size_t n);
size_t strlen(const char *s);
size_t strnlen(const char *s, size_t max);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t n);
char *strchr(const char *s, int c);
char *strrchr(const char *s, int c);
char *strstr(const char *s, const char *wanted);

/* Returns the length of src, or -E2BIG if it was cut; always ends dest. */
ssize_t strscpy(char *dest, const char *src, size_t size);
/* The last component of a path. */
const char *kbasename(const char *path);

#endif
