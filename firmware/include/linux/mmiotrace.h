/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What drivers do with the registers of devices. While the tracer mmiotrace is
 * set, pages that ioremap() maps are armed: they are not present, and each
 * access faults, is done by the host and recorded.
 */
#ifndef _LINUX_MMIOTRACE_H
#define _LINUX_MMIOTRACE_H

#include <linux/types.h>
#include <linux/compiler.h>

enum mm_io_opcode {
	MMIO_READ = 0x1,
	MMIO_WRITE = 0x2,
	MMIO_PROBE = 0x3,	/* ioremap() */
	MMIO_UNPROBE = 0x4,	/* iounmap() */
	MMIO_UNKNOWN_OP = 0x5,	/* an access of an unknown kind */
};

struct mmiotrace_rw {
	resource_size_t	phys;
	unsigned long	value;
	unsigned long	pc;		/* 0 unless mmiotrace.trace_pc */
	s32		map_id;
	u8		opcode;
	u8		width;		/* bytes */
};

struct mmiotrace_map {
	resource_size_t	phys;
	unsigned long	virt;
	unsigned long	len;
	s32		map_id;
	u8		opcode;
};

void mmiotrace_ioremap(resource_size_t offset, unsigned long size,
		       void *addr);
void mmiotrace_iounmap(volatile void *addr);
/* A line of the driver's own in the trace. Returns its length. */
int mmiotrace_printk(const char *fmt, ...) __printf(1, 2);

struct pt_regs;

/*
 * Called with interrupts off when the kernel has touched a page that is not
 * present. Whether that was an armed page; then all is done.
 */
bool kmmio_handler(struct pt_regs *regs, unsigned long addr);

#endif
