/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an ELF program finds on its stack, upwards: argc, the argument and
 * environment pointers, the auxiliary vector, then what they point to.
 */
#include <linux/auxvec.h>
#include <linux/binfmts.h>
#include <linux/elf.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/vdso.h>

#include "elf_tables.h"

#define USER_HZ		100
#define STACK_ALIGN	16
#define RANDOM_BYTES	16
#ifdef ELF_PLATFORM
#define PLATFORM_ENTRY(at)	{ AT_PLATFORM, at },
#define NR_AUXV		(18 + ARCH_NR_DLINFO)
#else
#define ELF_PLATFORM	""
#define PLATFORM_ENTRY(at)
#define NR_AUXV		(17 + ARCH_NR_DLINFO)
#endif

struct auxv {
	unsigned long	type;
	unsigned long	value;
};

/* Writes pointers to @n strings that start at *string, and NULL. */
static inline int put_pointers(unsigned long __user **to, unsigned long *string,
			       int n)
{
	while (n--) {
		long len = strnlen_user((const char __user *)*string,
					MAX_ARG_STRLEN);

		if (!len || len > MAX_ARG_STRLEN ||
		    put_user(*string, (*to)++))
			return -EFAULT;
		*string += len;
	}
	return put_user(0UL, (*to)++);
}

static inline int put_auxv(struct auxv __user *to, const struct elf_info *info)
{
	const struct auxv auxv[NR_AUXV] = {
		ARCH_DLINFO
		{ AT_HWCAP,	ELF_HWCAP },
		{ AT_PAGESZ,	PAGE_SIZE },
		{ AT_CLKTCK,	USER_HZ },
		{ AT_PHDR,	info->phdr_addr },
		{ AT_PHENT,	sizeof(struct elf64_phdr) },
		{ AT_PHNUM,	info->phnum },
		{ AT_BASE,	info->base },
		{ AT_FLAGS,	0 },
		{ AT_ENTRY,	info->entry },
		{ AT_UID,	0 },
		{ AT_EUID,	0 },
		{ AT_GID,	0 },
		{ AT_EGID,	0 },
		{ AT_SECURE,	0 },
		{ AT_RANDOM,	info->random },
		{ AT_EXECFN,	info->execfn },
		PLATFORM_ENTRY(info->platform)
		{ AT_NULL,	0 },
	};

	return copy_to_user(to, auxv, sizeof(auxv)) ? -EFAULT : 0;
}

int create_elf_tables(struct linux_binprm *bprm, struct elf_info *info)
{
	struct mm_struct *mm = current->mm;
	unsigned long p, string;
	unsigned long __user *sp;
	u8 random[RANDOM_BYTES];
	size_t size;
	int err;

	get_random_bytes(random, sizeof(random));
	info->execfn = bprm->exec;
	info->platform = bprm->p - sizeof(ELF_PLATFORM);
	info->random = info->platform - sizeof(random);
	if (copy_to_user((void __user *)info->platform, ELF_PLATFORM,
			 sizeof(ELF_PLATFORM)) ||
	    copy_to_user((void __user *)info->random, random, sizeof(random)))
		return -EFAULT;

	/* argc, two arrays with their NULLs, the vector */
	size = (1UL + bprm->argc + 1 + bprm->envc + 1) * sizeof(long) +
	       NR_AUXV * sizeof(struct auxv);
	p = (info->random - size) & ~(STACK_ALIGN - 1UL);
	bprm->p = mm->start_stack = p;

	sp = (unsigned long __user *)p;
	if (put_user((unsigned long)bprm->argc, sp++))
		return -EFAULT;
	string = mm->arg_start;
	err = put_pointers(&sp, &string, bprm->argc);
	mm->arg_end = mm->env_start = string;
	if (!err)
		err = put_pointers(&sp, &string, bprm->envc);
	mm->env_end = string;
	return err ? err : put_auxv((struct auxv __user *)sp, info);
}
