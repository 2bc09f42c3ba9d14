/* SPDX-License-Identifier: GPL-2.0-only */
/* Bits of control and status registers; causes of traps. */
#ifndef _ASM_CSR_H
#define _ASM_CSR_H

#define SR_SIE		0x00000002
#define SR_SPIE		0x00000020
#define SR_SPP		0x00000100
#define SR_FS		0x00006000
#define SR_FS_INITIAL	0x00002000
#define SR_FS_CLEAN	0x00004000
#define SR_FS_DIRTY	0x00006000
#define SR_SUM		0x00040000
#define SR_SDT		0x01000000	/* a trap would be fatal: its state is not saved */

#define SIE_NMI		(_AC(1, UL) << 63)

#define SCOUNTEREN_ALL	0x7		/* cycle, time, instret */

#define SATP_MODE_39	0x8000000000000000

#define EXC_INST_MISALIGNED	0
#define EXC_INST_ILLEGAL	2
#define EXC_BREAKPOINT		3
#define EXC_LOAD_MISALIGNED	4
#define EXC_STORE_MISALIGNED	6
#define EXC_SYSCALL		8
#define EXC_INST_PAGE_FAULT	12
#define EXC_LOAD_PAGE_FAULT	13
#define EXC_STORE_PAGE_FAULT	15

#define NR_CAUSES	64

#ifndef __ASSEMBLY__

#define csr_read(csr) ({						\
	unsigned long _v;						\
	asm volatile("csrr %0, " #csr : "=r" (_v) : : "memory");	\
	_v; })
#define csr_write(csr, val) \
	asm volatile("csrw " #csr ", %0" : : "rK" (val) : "memory")
#define csr_set(csr, val) \
	asm volatile("csrs " #csr ", %0" : : "rK" (val) : "memory")
#define csr_clear(csr, val) \
	asm volatile("csrc " #csr ", %0" : : "rK" (val) : "memory")

#endif
#endif
