/* SPDX-License-Identifier: GPL-2.0-only */
/* Most ports' signals, but handlers return to the kernel's page of code. */
#ifndef _UAPI_ASM_RISCV_SIGNAL_H
#define _UAPI_ASM_RISCV_SIGNAL_H

#include_next <asm/signal.h>

#undef SA_RESTORER
#undef __ARCH_HAS_SA_RESTORER

#endif
