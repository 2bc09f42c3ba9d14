/* SPDX-License-Identifier: GPL-2.0-only */
/* Mapping memory. */
#ifndef SYS_MMAN_H
#define SYS_MMAN_H

#include <linux/mman.h>
#include <sys/types.h>

#define MAP_FAILED	((void *)-1)

void *mmap(void *address, size_t size, int protection, int flags, int fd,
	   off_t offset);
int munmap(void *address, size_t size);
int mprotect(void *address, size_t size, int protection);

#endif
