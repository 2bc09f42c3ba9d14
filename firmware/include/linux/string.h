/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory and strings. Nothing here is traced: the handlers of tracing itself
 * copy structures and format messages.
 */
#ifndef _LINUX_STRING_H
#define _LINUX_STRING_H

#include <linux/compiler.h>
#include <linux/types.h>

/* What gcc may also call by itself. */
notrace void *memcpy(void *dest, const void *src, size_t n);
notrace void *memmove(void *dest, const void *src, size_t n);
notrace void *memset(void *s, int c, size_t n);
notrace int memcmp(const void *a, const void *b, size_t n);

notrace void *memchr(const void *s, int c, size_t n);
notrace size_t strlen(const char *s);
notrace size_t strnlen(const char *s, size_t max);
notrace int strcmp(const char *a, const char *b);
notrace int strncmp(const char *a, const char *b, size_t n);
notrace int strcasecmp(const char *a, const char *b);
notrace char *strchr(const char *s, int c);
notrace char *strrchr(const char *s, int c);

/* Cuts the first token off *s, which becomes what follows, or NULL. */
notrace char *strsep(char **s, const char *delimiters);
/* Without blanks at both ends; the text is changed. */
notrace char *strim(char *s);

char *kstrdup(const char *s, gfp_t gfp);
void *kmemdup(const void *src, size_t len, gfp_t gfp);
/* From user space, or an errno. */
void *memdup_user(const void __user *src, size_t len);
void *memdup_user_nul(const void __user *src, size_t len);
char *strndup_user(const char __user *s, long n);

/* Returns the length of src, or -E2BIG if it was cut; always ends dest. */
notrace ssize_t strscpy(char *dest, const char *src, size_t size);
/* The last component of a path. */
notrace const char *kbasename(const char *path);

#endif
