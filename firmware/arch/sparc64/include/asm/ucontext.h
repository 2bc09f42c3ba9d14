/* SPDX-License-Identifier: GPL-2.0-only */
/* What the traps for user contexts read and write, by SPARC's layout. */
#ifndef _ASM_UCONTEXT_H
#define _ASM_UCONTEXT_H

#include <linux/signal_types.h>

/* Places in mc_gregs; %g1 to %g7, then %o0 to %o7 follow %y. */
#define MC_TSTATE	0
#define MC_PC		1
#define MC_NPC		2
#define MC_Y		3
#define MC_G1		4
#define MC_O0		11
#define MC_NGREG	19

typedef struct {
	unsigned long mcfpu_dregs[32];
	unsigned long mcfpu_fsr;
	unsigned long mcfpu_fprs;
	unsigned long mcfpu_gsr;
	unsigned long mcfpu_fq;
	unsigned char mcfpu_qcnt;
	unsigned char mcfpu_qentsz;
	unsigned char mcfpu_enab;	/* 0: nothing of the above counts */
} __attribute__((aligned(16))) mc_fpu_t;

typedef struct {
	unsigned long mc_gregs[MC_NGREG];
	unsigned long mc_fp;		/* %i6 and %i7 */
	unsigned long mc_i7;
	mc_fpu_t mc_fpregs;
} mcontext_t;

struct ucontext {
	struct ucontext *uc_link;
	unsigned long uc_flags;
	sigset_t uc_sigmask;
	mcontext_t uc_mcontext;
};

#endif
