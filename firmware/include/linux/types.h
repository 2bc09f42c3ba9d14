/* SPDX-License-Identifier: GPL-2.0-only */
/* Basic integer types and the types that system calls speak of. */
#ifndef _LINUX_TYPES_H
#define _LINUX_TYPES_H

#include <stddef.h>
#include <stdbool.h>

typedef signed char s8;
typedef unsigned char u8;
typedef short s16;
typedef unsigned short u16;
typedef u16 __u16;
typedef int s32;
typedef unsigned int u32;
typedef long long s64;
typedef unsigned long long u64;

typedef u8 uint8_t;
typedef u16 uint16_t;
typedef u32 uint32_t;
typedef unsigned long uint64_t;
typedef s8 int8_t;
typedef s16 int16_t;
typedef s32 int32_t;
typedef long int64_t;
typedef unsigned long uintptr_t;

typedef long ssize_t;
typedef long long loff_t;
typedef long off_t;
typedef int pid_t;
typedef unsigned int uid_t;
typedef unsigned int gid_t;
typedef unsigned short umode_t;
typedef unsigned int dev_t;
typedef unsigned int gfp_t;
typedef unsigned long ino_t;
typedef unsigned int fmode_t;
typedef unsigned int __poll_t;
typedef unsigned long pgoff_t;
typedef u64 phys_addr_t;
typedef phys_addr_t resource_size_t;
typedef long long time64_t;
typedef unsigned int vm_fault_t;
typedef int clockid_t;
typedef int timer_t;
typedef long __kernel_old_time_t;

/* As long as a set is: a program says how many of the bits count. */
typedef struct {
	unsigned long fds_bits[1024 / 64];
} fd_set;

typedef struct { int counter; } atomic_t;
typedef struct { long counter; } atomic_long_t;

struct list_head {
	struct list_head *next, *prev;
};

struct hlist_node {
	struct hlist_node *next, **pprev;
};

struct hlist_head {
	struct hlist_node *first;
};

/* What is to be called after a grace period. */
struct callback_head {
	struct callback_head *next;
	void (*func)(struct callback_head *head);
};

#define rcu_head	callback_head

#endif
