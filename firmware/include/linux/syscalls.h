/* SPDX-License-Identifier: GPL-2.0-only */
/* Defining system calls: sys_NAME takes registers, the body its own types. */
#ifndef _LINUX_SYSCALLS_H
#define _LINUX_SYSCALLS_H

#include <linux/types.h>
#include <linux/compiler.h>
#include <linux/errno.h>

#define __MAP1(m, t, a, ...)	m(t, a)
#define __MAP2(m, t, a, ...)	m(t, a), __MAP1(m, __VA_ARGS__)
#define __MAP3(m, t, a, ...)	m(t, a), __MAP2(m, __VA_ARGS__)
#define __MAP4(m, t, a, ...)	m(t, a), __MAP3(m, __VA_ARGS__)
#define __MAP5(m, t, a, ...)	m(t, a), __MAP4(m, __VA_ARGS__)
#define __MAP6(m, t, a, ...)	m(t, a), __MAP5(m, __VA_ARGS__)

#define __SC_DECL(t, a)		t a
#define __SC_LONG(t, a)		unsigned long a
#define __SC_CAST(t, a)		(t)a

/*
 * Registers hold whatever user space left in their upper halves; only the
 * casts make arguments of the declared types out of them.
 */
#define __SYSCALL_DEFINEx(x, name, ...)					\
	static __always_inline long					\
		__do_sys_##name(__MAP##x(__SC_DECL, __VA_ARGS__));	\
	long sys_##name(__MAP##x(__SC_LONG, __VA_ARGS__));		\
	long sys_##name(__MAP##x(__SC_LONG, __VA_ARGS__))		\
	{								\
		return __do_sys_##name(__MAP##x(__SC_CAST, __VA_ARGS__)); \
	}								\
	static __always_inline long					\
		__do_sys_##name(__MAP##x(__SC_DECL, __VA_ARGS__))

#define SYSCALL_DEFINE0(name)		\
	long sys_##name(void);		\
	long sys_##name(void)
#define SYSCALL_DEFINE1(name, ...)	__SYSCALL_DEFINEx(1, name, __VA_ARGS__)
#define SYSCALL_DEFINE2(name, ...)	__SYSCALL_DEFINEx(2, name, __VA_ARGS__)
#define SYSCALL_DEFINE3(name, ...)	__SYSCALL_DEFINEx(3, name, __VA_ARGS__)
#define SYSCALL_DEFINE4(name, ...)	__SYSCALL_DEFINEx(4, name, __VA_ARGS__)
#define SYSCALL_DEFINE5(name, ...)	__SYSCALL_DEFINEx(5, name, __VA_ARGS__)
#define SYSCALL_DEFINE6(name, ...)	__SYSCALL_DEFINEx(6, name, __VA_ARGS__)

#endif
