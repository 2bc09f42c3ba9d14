/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of memcheck share. */
#ifndef MEMCHECK_H
#define MEMCHECK_H

#include <stdbool.h>
#include <stddef.h>

#define PAGE		8192UL	/* of either architecture, or two of them */

/* checks.c */
void check(bool ok, const char *what);
int report(void);
long call(long nr, long a, long b, long c, long d);
char *map(size_t pages, int prot, int flags);
int child_touches(volatile char *p, bool write);

/* areas.c */
void check_areas(void);
void check_tables(void);

/* pointers.c */
void check_pointers(void);

/* files.c */
void check_truncated(void);
void check_writes(void);
int store_into(const char *path);
int sweep(const char *path, size_t megabytes);

#endif
