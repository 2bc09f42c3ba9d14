/* SPDX-License-Identifier: GPL-2.0-only */
/* Strings and memory. */
#ifndef STRING_H
#define STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
void *memchr(const void *in, int byte, size_t size);
size_t strlen(const char *s);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t size);
char *strchr(const char *s, int c);
char *strrchr(const char *s, int c);
char *strcpy(char *to, const char *from);
char *strcat(char *to, const char *from);
size_t strnlen(const char *s, size_t size);
size_t strcspn(const char *s, const char *reject);
size_t strspn(const char *s, const char *accept);
char *strpbrk(const char *s, const char *accept);
char *strstr(const char *in, const char *what);
int strcasecmp(const char *a, const char *b);
int strncasecmp(const char *a, const char *b, size_t size);
char *strsep(char **rest, const char *delimiters);
char *strdup(const char *s);
char *strndup(const char *s, size_t size);
char *strerror(int error);
/* "Segmentation fault"; NULL for a number that no signal has. */
const char *strsignal(int signal);

#define SIGNAL_MAX	64

/* The number of a name (TERM, SIGTERM) or number; -1: there is no such. */
int signal_number(const char *name);
/* Its name without SIG; NULL if it has none. */
const char *signal_name(int number);

#endif
