/* SPDX-License-Identifier: GPL-2.0-only */
/* What a CPU needs beyond head.S before it runs tasks. */
#include <linux/kernel.h>
#include <linux/cpu.h>
#include <linux/mm.h>
#include <linux/tlbflush.h>
#include <asm/csr.h>

void cpu_init(void)
{
	load_swapper();
	csr_write(scounteren, SCOUNTEREN_ALL);
	csr_set(sie, SIE_NMI);
}
