/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Defining system calls: sys_NAME takes registers, the body its own types. Of
 * each one the host finds in __syscalls_metadata what its events show.
 */
#ifndef _LINUX_SYSCALLS_H
#define _LINUX_SYSCALLS_H

#include <linux/types.h>
#include <linux/compiler.h>
#include <linux/errno.h>

struct syscall_metadata {
	const char *name;		/* sys_NAME */
	u32 nb_args;
	const char *const *types;
	const char *const *args;
};

#define __MAP0(m, ...)
#define __MAP1(m, t, a, ...)	m(t, a)
#define __MAP2(m, t, a, ...)	m(t, a), __MAP1(m, __VA_ARGS__)
#define __MAP3(m, t, a, ...)	m(t, a), __MAP2(m, __VA_ARGS__)
#define __MAP4(m, t, a, ...)	m(t, a), __MAP3(m, __VA_ARGS__)
#define __MAP5(m, t, a, ...)	m(t, a), __MAP4(m, __VA_ARGS__)
#define __MAP6(m, t, a, ...)	m(t, a), __MAP5(m, __VA_ARGS__)

#define __SC_DECL(t, a)		t a
#define __SC_LONG(t, a)		unsigned long a
#define __SC_CAST(t, a)		(t)a
#define __SC_STR_TDECL(t, a)	#t
#define __SC_STR_ADECL(t, a)	#a

#define SYSCALL_METADATA(_name, nb, ...)				\
	static const char *const types__##_name[] =			\
		{ __MAP##nb(__SC_STR_TDECL, __VA_ARGS__) };		\
	static const char *const args__##_name[] =			\
		{ __MAP##nb(__SC_STR_ADECL, __VA_ARGS__) };		\
	static const struct syscall_metadata __syscall_meta__##_name = { \
		.name = "sys_" #_name,					\
		.nb_args = nb,						\
		.types = types__##_name,				\
		.args = args__##_name,					\
	};								\
	static const struct syscall_metadata *const			\
	__p_syscall_meta__##_name					\
	__used __section("__syscalls_metadata") = &__syscall_meta__##_name;

/*
 * Registers hold whatever user space left in their upper halves; only the
 * casts make arguments of the declared types out of them.
 */
#define __SYSCALL_DEFINEx(x, name, ...)					\
	SYSCALL_METADATA(name, x, __VA_ARGS__)				\
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
	SYSCALL_METADATA(name, 0)	\
	long sys_##name(void);		\
	long sys_##name(void)
#define SYSCALL_DEFINE1(name, ...)	__SYSCALL_DEFINEx(1, name, __VA_ARGS__)
#define SYSCALL_DEFINE2(name, ...)	__SYSCALL_DEFINEx(2, name, __VA_ARGS__)
#define SYSCALL_DEFINE3(name, ...)	__SYSCALL_DEFINEx(3, name, __VA_ARGS__)
#define SYSCALL_DEFINE4(name, ...)	__SYSCALL_DEFINEx(4, name, __VA_ARGS__)
#define SYSCALL_DEFINE5(name, ...)	__SYSCALL_DEFINEx(5, name, __VA_ARGS__)
#define SYSCALL_DEFINE6(name, ...)	__SYSCALL_DEFINEx(6, name, __VA_ARGS__)

#endif
