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

#include "elf_tables.h"

#define USER_HZ		100
#define STACK_ALIGN	16
#define RANDOM_BYTES	16

struct auxv {
	unsigned long	type;
	unsigned long	value;
};

/* Puts bytes below @p; returns where they are, 0 on a fault. */
static unsigned long push_bytes(unsigned long p, const void *from, size_t len)
{
	p -= len;
	return copy_to_user((void __user *)p, from, len) ? 0 : p;
}

/* Writes pointers to @n strings that start at *string, and NULL. */
static int put_pointers(unsigned long __user **to, unsigned long *string, int n)
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

int create_elf_tables(struct linux_binprm *bprm, const struct elf64_hdr *ehdr,
		      unsigned long phdr_addr, unsigned long entry)
{
	struct mm_struct *mm = current->mm;
	unsigned long p = bprm->p, platform, random_at, string;
	unsigned long __user *sp;
	u8 random[RANDOM_BYTES];
	size_t pointers;
	int err;

	platform = p = push_bytes(p, ELF_PLATFORM, sizeof(ELF_PLATFORM));
	if (!p)
		return -EFAULT;
	get_random_bytes(random, sizeof(random));
	random_at = p = push_bytes(p, random, sizeof(random));
	if (!p)
		return -EFAULT;

	const struct auxv auxv[] = {
		{ AT_HWCAP,	ELF_HWCAP },
		{ AT_PAGESZ,	PAGE_SIZE },
		{ AT_CLKTCK,	USER_HZ },
		{ AT_PHDR,	phdr_addr },
		{ AT_PHENT,	sizeof(struct elf64_phdr) },
		{ AT_PHNUM,	ehdr->e_phnum },
		{ AT_BASE,	0 },
		{ AT_FLAGS,	0 },
		{ AT_ENTRY,	entry },
		{ AT_UID,	0 },
		{ AT_EUID,	0 },
		{ AT_GID,	0 },
		{ AT_EGID,	0 },
		{ AT_SECURE,	0 },
		{ AT_RANDOM,	random_at },
		{ AT_EXECFN,	bprm->exec },
		{ AT_PLATFORM,	platform },
		{ AT_NULL,	0 },
	};

	/* argc, two arrays with their NULLs, the vector. */
	pointers = (1UL + bprm->argc + 1 + bprm->envc + 1) * sizeof(long) +
		   sizeof(auxv);
	p = (p - pointers) & ~(STACK_ALIGN - 1UL);
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
	if (!err && copy_to_user(sp, auxv, sizeof(auxv)))
		err = -EFAULT;
	return err;
}
