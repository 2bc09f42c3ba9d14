/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Static keys: a branch that is a nop while its key is off, and a jump to the
 * unlikely side while it is on. Only the host turns keys. It finds the branches
 * in the section __jump_table.
 */
#ifndef _LINUX_JUMP_LABEL_H
#define _LINUX_JUMP_LABEL_H

#include <linux/compiler.h>
#include <linux/types.h>

/* Written by the host: before the first branch is on, after the last is off. */
struct static_key {
	u32 enabled;
};

struct jump_entry {
	u64 code;
	u64 target;
	u64 key;	/* address of the struct static_key */
};

#define DEFINE_STATIC_KEY_FALSE(name)	struct static_key name
#define DECLARE_STATIC_KEY_FALSE(name)	extern struct static_key name

#ifdef NO_STATIC_KEYS
/* For measuring what the nops cost. */
#define static_branch_unlikely(key)	false
#else
#include <asm/jump_label.h>
#define static_branch_unlikely(key)	arch_static_branch(key)

#ifndef JUMP_LABEL_ALIGN
#define JUMP_LABEL_ALIGN
#endif
#ifndef JUMP_LABEL_KEY		/* the operand, as a number */
#define JUMP_LABEL_KEY	"%c0"
#endif

static __always_inline bool arch_static_branch(struct static_key *const key)
{
	asm goto(JUMP_LABEL_ALIGN
		 "1:	" JUMP_LABEL_NOP "\n"
		 ".pushsection __jump_table, \"a\"\n"
		 ".balign 8\n"
		 _ASM_PTR " 1b, %l[l_yes], " JUMP_LABEL_KEY "\n"
		 ".popsection"
		 : : "i" (key) : : l_yes);
	return false;
l_yes:
	return true;
}
#endif

#define static_key_enabled(key)		(READ_ONCE((key)->enabled) != 0)

#endif
