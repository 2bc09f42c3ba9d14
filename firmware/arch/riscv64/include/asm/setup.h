/* SPDX-License-Identifier: GPL-2.0-only */
/* This port's names of the first C function and of other CPUs' entry (head.S). */
#ifndef _ASM_SETUP_H
#define _ASM_SETUP_H

#define arch_start_kernel	riscv64_start_kernel
#define secondary_startup	secondary_start

#endif
