/* SPDX-License-Identifier: GPL-2.0-only */
/* Copying to and from user space. */
#ifndef _LINUX_UACCESS_H
#define _LINUX_UACCESS_H

#include <linux/types.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <asm/uaccess.h>

/* Each returns how many bytes could not be copied. */
unsigned long _copy_to_user(void __user *to, const void *from, unsigned long n);
unsigned long _copy_from_user(void *to, const void __user *from,
			      unsigned long n);
unsigned long clear_user(void __user *to, unsigned long n);

/* The length copied (without the NUL), @count if none was found, -EFAULT. */
long strncpy_from_user(char *dst, const char __user *src, long count);

/* The size including the NUL, more than @n if longer, 0 on a fault. */
long strnlen_user(const char __user *str, long n);

#define copy_to_user(to, from, n)	_copy_to_user(to, from, n)
#define copy_from_user(to, from, n)	_copy_from_user(to, from, n)

/* 0 or -EFAULT. */
#define put_user(x, ptr) ({						\
	typeof((typeof(*(ptr)))0) _val = (x);				\
	__put_user_size(ptr, &_val, sizeof(_val)) ? -EFAULT : 0; })
#define get_user(x, ptr) ({						\
	typeof((typeof(*(ptr)))0) _gval = 0;				\
	int _err = __get_user_size(&_gval, ptr, sizeof(_gval)) ?	\
		   -EFAULT : 0;						\
	(x) = _gval;							\
	_err; })

#endif
