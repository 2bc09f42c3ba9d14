/* SPDX-License-Identifier: GPL-2.0-only */
/* The system call that only this architecture has. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/smp.h>
#include <linux/syscalls.h>
#include <asm/processor.h>

#define SYS_RISCV_FLUSH_ICACHE_LOCAL	1UL

static void flush_icache(void *info)
{
	sync_core();
}

/* Code that the program has written is executed from now on, by every thread. */
SYSCALL_DEFINE3(riscv_flush_icache, uintptr_t, start, uintptr_t, end,
		uintptr_t, flags)
{
	if (flags & ~SYS_RISCV_FLUSH_ICACHE_LOCAL)
		return -EINVAL;
	on_each_cpu(flush_icache, NULL);
	return 0;
}
