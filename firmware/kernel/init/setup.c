/* SPDX-License-Identifier: GPL-2.0-only */
/* From what the board hands over to what generic code goes by. */
#include <linux/kernel.h>
#include <linux/init.h>
#include <linux/memblock.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <emu/boot_params.h>
#include <asm/sections.h>

struct boot_params boot_params;

DEFINE_PER_CPU(struct pcpu_hot, pcpu_hot) = {
	.preempt_count = INIT_PREEMPT_COUNT,
	.percpu_offset = BOOT_CPU_OFFSET,
};

/* CPU 0's area is the image's. */
unsigned long __per_cpu_offset[NR_CPUS] = {
	[0] = BOOT_CPU_OFFSET,
};

static void __init setup_boot_params(const struct boot_params *params)
{
	boot_params = *params;
	if (boot_params.magic != BOOT_PARAMS_MAGIC)
		panic("boot_params: wrong magic %llx", boot_params.magic);
}

void __init arch_start_kernel(struct boot_params *params)
{
	setup_boot_params(params);
	start_kernel();
	unreachable();
}

void __init setup_arch(void)
{
	max_pfn = boot_params.memory_size >> PAGE_SHIFT;
	memblock_reserve(0, BOARD_PAGES * PAGE_SIZE);
	memblock_reserve(__pa(_text), _end - _text);
	memblock_reserve(boot_params.initrd_start, boot_params.initrd_size);
	paging_init();
}
