/* SPDX-License-Identifier: GPL-2.0-only */
/* What this port calls the first C code, and where other CPUs start (head.S). */
#ifndef _ASM_SETUP_H
#define _ASM_SETUP_H

#define arch_start_kernel	x86_64_start_kernel
#define secondary_startup	secondary_startup_64

#endif
