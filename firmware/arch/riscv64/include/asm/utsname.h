/* SPDX-License-Identifier: GPL-2.0-only */
/* What uname(2) calls this machine. */
#ifndef _ASM_RISCV_UTSNAME_H
#define _ASM_RISCV_UTSNAME_H

#define UTS_MACHINE	"riscv64"

#endif
