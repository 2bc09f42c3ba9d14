/* SPDX-License-Identifier: GPL-2.0-only */
/* What modules say of themselves, and the parameters they take. */
#ifndef _LINUX_MODULEPARAM_H
#define _LINUX_MODULEPARAM_H

#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/types.h>

#define __MODULE_ID2(name, line)	__modinfo_##name##line
#define __MODULE_ID(name, line)		__MODULE_ID2(name, line)

/* "tag=text" strings, one after the other, for modinfo and the loader. */
#define __MODULE_INFO(tag, name, info)					\
	static const char __MODULE_ID(name, __LINE__)[]			\
		__section(".modinfo") __used __aligned(1) =		\
		#tag "=" info

struct kernel_param;

struct kernel_param_ops {
	int (*set)(const char *val, const struct kernel_param *kp);
	int (*get)(char *buffer, const struct kernel_param *kp);
	void (*free)(void *arg);	/* what set has allocated; may be NULL */
	bool no_value;			/* "name" alone means yes */
};

struct kparam_string {
	unsigned int maxlen;
	char *string;
};

/* In the section __param. */
struct kernel_param {
	const char *name;
	const struct kernel_param_ops *ops;
	void *arg;
	u16 perm;
};

#ifdef MODULE
/* Types are pasted before anything else is made of them: bool is a macro. */
#define __module_param(id, value, param_ops, text, perm)		\
	static const struct kernel_param __param_##id			\
		__section("__param") __used __aligned(sizeof(void *)) =	\
		{ #id, &param_ops, (void *)&(value), perm };		\
	__MODULE_INFO(parmtype, id##type, #id ":" text)
#define module_param_named(name, value, type, perm) \
	__module_param(name, value, param_ops_##type, #type, perm)
#define module_param(name, type, perm) \
	__module_param(name, name, param_ops_##type, #type, perm)
/* A text of less than @len bytes, in the module's own array. */
#define module_param_string(name, string, len, perm)			\
	static const struct kparam_string __param_string_##name =	\
		{ len, string };					\
	__module_param(name, __param_string_##name, param_ops_string,	\
		       "string", perm)
#define MODULE_PARM_DESC(name, text) \
	__MODULE_INFO(parm, name##desc, #name ":" text)
#endif

extern const struct kernel_param_ops param_ops_int, param_ops_uint,
	param_ops_long, param_ops_ulong, param_ops_bool, param_ops_charp,
	param_ops_string;

/*
 * Sets parameters from "name=value name2="a value" flag"; changes @args.
 * One that is not there is @unknown's business.
 */
int parse_args(const char *doing, char *args, const struct kernel_param *params,
	       unsigned int num, int (*unknown)(char *param, char *val,
						const char *doing, void *arg),
	       void *arg);

/* They are not used any more. */
void destroy_params(const struct kernel_param *params, unsigned int num);

#endif
