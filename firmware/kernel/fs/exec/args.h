/* SPDX-License-Identifier: GPL-2.0-only */
/* The arguments and environment that a new program is given. */
#ifndef _FS_EXEC_ARGS_H
#define _FS_EXEC_ARGS_H

#include <linux/binfmts.h>
#include <linux/compiler.h>

/* An array of strings that ends with NULL, in one of two places. */
struct user_arg_ptr {
	const char __user *const __user *user;
	const char *const *kernel;
};

int count(struct user_arg_ptr argv);
int copy_strings(int argc, struct user_arg_ptr argv, struct linux_binprm *bprm);

#endif
