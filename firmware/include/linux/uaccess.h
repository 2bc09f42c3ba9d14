/* SPDX-License-Identifier: GPL-2.0-only */
/* Copying to and from user space. */
#ifndef _LINUX_UACCESS_H
#define _LINUX_UACCESS_H

#include <linux/types.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/preempt.h>
#include <asm/processor.h>
#include <asm/uaccess.h>

static inline bool access_ok(const void __user *ptr, unsigned long size)
{
	return size <= TASK_SIZE && (unsigned long)ptr <= TASK_SIZE - size;
}

/*
 * Between these, a copy ends where it would have to wait for a page: for those
 * who hold what bringing the page may need.
 */
#define pagefault_disable()	((void)current->pagefault_disabled++)
#define pagefault_enable()	((void)current->pagefault_disabled--)
#define pagefault_disabled()	(current->pagefault_disabled != 0)

/* Whether a fault now must not be served. */
#define faulthandler_disabled()	(pagefault_disabled() || in_atomic())

/* Each returns how many bytes could not be copied. */
unsigned long _copy_to_user(void __user *to, const void *from, unsigned long n);
unsigned long _copy_from_user(void *to, const void __user *from,
			      unsigned long n);
unsigned long clear_user(void __user *to, unsigned long n);

/* Has the pages brought that can be: how many bytes are not there. */
size_t fault_in_readable(const char __user *uaddr, size_t size);

/* The length copied (without the NUL), @count if none was found, -EFAULT. */
long strncpy_from_user(char *dst, const char __user *src, long count);

/* The size including the NUL, more than @n if longer, 0 on a fault. */
long strnlen_user(const char __user *str, long n);

#define copy_to_user(to, from, n)	_copy_to_user(to, from, n)
#define copy_from_user(to, from, n)	_copy_from_user(to, from, n)

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
