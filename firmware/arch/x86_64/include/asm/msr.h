/* SPDX-License-Identifier: GPL-2.0-only */
/* Model-specific registers. */
#ifndef _ASM_MSR_H
#define _ASM_MSR_H

#define MSR_STAR		0xc0000081
#define MSR_LSTAR		0xc0000082
#define MSR_SYSCALL_MASK	0xc0000084
#define MSR_FS_BASE		0xc0000100
#define MSR_GS_BASE		0xc0000101
#define MSR_KERNEL_GS_BASE	0xc0000102

#ifndef __ASSEMBLY__

#include <linux/types.h>
#include <linux/compiler.h>

static __always_inline void wrmsrl(u32 msr, u64 value)
{
	asm volatile("wrmsr" : : "c" (msr), "a" ((u32)value),
		     "d" ((u32)(value >> 32)) : "memory");
}

#endif
#endif
