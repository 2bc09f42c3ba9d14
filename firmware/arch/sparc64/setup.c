/* SPDX-License-Identifier: GPL-2.0-only */
/* From the reset state to generic code. */
#include <linux/kernel.h>
#include <linux/init.h>
#include <linux/memblock.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <emu/boot_params.h>
#include <emu/hostcall.h>
#include <asm/proto.h>
#include <asm/sections.h>

struct boot_params boot_params;

DEFINE_PER_CPU(struct pcpu_hot, pcpu_hot) = {
	.preempt_count = INIT_PREEMPT_COUNT,
};

/* CPU 0's area is the image's. */
unsigned long __per_cpu_offset[NR_CPUS];

void __init sparc64_start_kernel(struct boot_params *params)
{
	boot_params = *params;
	if (boot_params.magic != BOOT_PARAMS_MAGIC)
		panic("boot_params: wrong magic %llx", boot_params.magic);
	start_kernel();
	unreachable();
}

/* Physical pages 0 and 1 are the zero page and boot_params. */
void __init setup_arch(void)
{
	max_pfn = boot_params.memory_size >> PAGE_SHIFT;
	memblock_reserve(0, 2 * PAGE_SIZE);
	memblock_reserve(__pa(_text), _end - _text);
	memblock_reserve(boot_params.initrd_start, boot_params.initrd_size);
	direct_map_init();
}

/* Traps have been taken all along, upcalls are as soon as interrupts are. */
void __init arch_cpu_ready(void)
{
	cpu_init();
	hostcall1(HC_CPU_ONLINE, this_cpu_ptr(&pcpu_hot));
}
