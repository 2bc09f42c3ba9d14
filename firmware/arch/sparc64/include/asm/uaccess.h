/* SPDX-License-Identifier: GPL-2.0-only */
/* User memory: what is an address, and copies that survive faults. */
#ifndef _ASM_UACCESS_H
#define _ASM_UACCESS_H

#include <linux/types.h>
#include <linux/compiler.h>
#include <asm/processor.h>

static inline bool access_ok(const void __user *ptr, unsigned long size)
{
	return size <= TASK_SIZE && (unsigned long)ptr <= TASK_SIZE - size;
}

/* How many bytes were not copied. Only the user's address may fault. */
unsigned long raw_copy_to_user(void __user *to, const void *from,
			       unsigned long n);
unsigned long raw_copy_from_user(void *to, const void __user *from,
				 unsigned long n);
unsigned long clear_user_generic(void __user *to, unsigned long n);

static inline unsigned long __put_user_size(void __user *ptr, const void *val,
					    unsigned long size)
{
	return access_ok(ptr, size) ? raw_copy_to_user(ptr, val, size) : size;
}

static inline unsigned long __get_user_size(void *val, const void __user *ptr,
					    unsigned long size)
{
	return access_ok(ptr, size) ? raw_copy_from_user(val, ptr, size) : size;
}

#endif
