/* SPDX-License-Identifier: GPL-2.0-only */
/* Copies from and to user memory that survive faults. */
#ifndef _ASM_UACCESS_H
#define _ASM_UACCESS_H

#include <linux/compiler.h>

/* How many bytes were not copied. Either address may be the faulting one. */
unsigned long copy_user_generic(void *to, const void *from, unsigned long n);
unsigned long clear_user_generic(void *to, unsigned long n);

#define raw_copy_to_user(to, from, n)	copy_user_generic(to, from, n)
#define raw_copy_from_user(to, from, n)	copy_user_generic(to, from, n)

#endif
