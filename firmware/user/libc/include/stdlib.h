/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory, numbers, sorting and the end. */
#ifndef STDLIB_H
#define STDLIB_H

#include <stddef.h>

#define EXIT_SUCCESS	0
#define EXIT_FAILURE	1

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *block, size_t size);
void free(void *block);

/* These end the program with a message when there is no memory. */
void *xmalloc(size_t size);
void *xrealloc(void *block, size_t size);
char *xstrdup(const char *s);

/* Decimal digits only, all of s; -1 if it is anything else or too large. */
long parse_number(const char *s);
/* Base 0: 0x and 0 say which. errno is ERANGE if it does not fit. */
long strtol(const char *s, char **end, int base);
unsigned long strtoul(const char *s, char **end, int base);
int atoi(const char *s);
char *getenv(const char *name);
int setenv(const char *name, const char *value, int overwrite);
int unsetenv(const char *name);
void qsort(void *base, size_t count, size_t size,
	   int (*compare)(const void *, const void *));
void exit(int status) __attribute__((noreturn));

#endif
