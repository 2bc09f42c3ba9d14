/* SPDX-License-Identifier: GPL-2.0-only */
/* Loading a program: what execve and the formats share. */
#ifndef _LINUX_BINFMTS_H
#define _LINUX_BINFMTS_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <asm/page.h>

struct file;
struct mm_struct;
struct vm_area_struct;

#define BINPRM_BUF_SIZE		256
#define MAX_ARG_STRLEN		(32 * PAGE_SIZE)	/* one string */
#define MAX_ARG_STRINGS		0x7fffffff
#define ARG_SIZE_LIMIT		(2UL << 20)	/* all of them, with pointers */

/* A program on its way into a new address space. */
struct linux_binprm {
	struct vm_area_struct	*vma;		/* the new stack */
	struct mm_struct	*mm;		/* NULL once it is current's */
	unsigned long		p;		/* its top, below the strings */
	unsigned long		argmin;		/* p goes no lower */
	unsigned long		exec;		/* where filename was copied */
	bool			point_of_no_return;
	struct file		*file;
	struct file		*interpreter;	/* what to load instead */
	int			argc, envc;
	const char		*filename;	/* as the caller gave it */
	char			*interp;	/* NULL: filename */
	/* The file's beginning; what follows its end is zero. */
	char			buf[BINPRM_BUF_SIZE] __aligned(8);
};

/* Returns 0, or -ENOEXEC: not this format; other errors are final. */
struct linux_binfmt {
	int (*load_binary)(struct linux_binprm *bprm);
};

extern const struct linux_binfmt script_format;
extern const struct linux_binfmt elf_format;

/* For load_binary: */
int begin_new_exec(struct linux_binprm *bprm);
int setup_arg_pages(struct linux_binprm *bprm, bool executable_stack);
int copy_string_kernel(const char *arg, struct linux_binprm *bprm);
int remove_arg_zero(struct linux_binprm *bprm);
int bprm_change_interp(const char *interp, struct linux_binprm *bprm);
struct file *open_exec(const char *name);

#endif
