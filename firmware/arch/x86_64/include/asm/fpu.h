/* SPDX-License-Identifier: GPL-2.0-only */
/* A program's floating point registers, to and from memory. */
#ifndef _ASM_FPU_H
#define _ASM_FPU_H

#include <asm/processor.h>

#define FX_FCW		0	/* offsets in the fxsave area */
#define FX_MXCSR	24
#define FX_SW_RESERVED	464	/* the rest is software's */

#define MXCSR_FEATURE_MASK	0xffffu

static inline void fxsave(struct fpu_state *fpu)
{
	asm volatile("fxsave64 %0" : "=m" (*fpu));
}

static inline void fxrstor(const struct fpu_state *fpu)
{
	asm volatile("fxrstor64 %0" : : "m" (*fpu));
}

/* A program, or a signal handler, begins with these. */
void fpu__clear_user_states(void);

#endif
