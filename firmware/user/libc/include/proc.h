/* SPDX-License-Identifier: GPL-2.0-only */
/* What programs read of /proc that look for processes. */
#ifndef PROC_H
#define PROC_H

#include <stddef.h>

#define PROCESS_NAME	64

/* The start of a file, with spaces for NULs; empty if it cannot be had. */
void read_proc(const char *path, char *text, size_t size);
/* The numbers in /proc, in order; returns how many. */
int all_pids(int **pids);
/* Empty if there is no such process any more. */
void process_name(int pid, char name[PROCESS_NAME]);

#endif
