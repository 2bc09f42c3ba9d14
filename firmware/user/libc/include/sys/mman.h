/* SPDX-License-Identifier: GPL-2.0-only */
/* Mapping memory; the flags of MAP_ are abi.h's. */
#ifndef SYS_MMAN_H
#define SYS_MMAN_H

#include <abi.h>
#include <sys/types.h>

#define PROT_NONE	0
#define PROT_READ	1
#define PROT_WRITE	2
#define PROT_EXEC	4

#define MAP_FAILED	((void *)-1)

void *mmap(void *address, size_t size, int protection, int flags, int fd,
	   off_t offset);
int munmap(void *address, size_t size);
int mprotect(void *address, size_t size, int protection);

#endif
