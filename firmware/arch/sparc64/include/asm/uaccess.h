/* SPDX-License-Identifier: GPL-2.0-only */
/* Copies from and to user memory that survive faults. */
#ifndef _ASM_UACCESS_H
#define _ASM_UACCESS_H

#include <linux/compiler.h>

/* How many bytes were not copied. Only the user's address may fault. */
unsigned long raw_copy_to_user(void __user *to, const void *from,
			       unsigned long n);
unsigned long raw_copy_from_user(void *to, const void __user *from,
				 unsigned long n);
unsigned long clear_user_generic(void __user *to, unsigned long n);

#endif
