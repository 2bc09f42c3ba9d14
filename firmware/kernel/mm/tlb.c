/* SPDX-License-Identifier: GPL-2.0-only */
/* Switching address spaces and keeping translations true on every CPU. */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/smp.h>
#include <linux/tlbflush.h>

#define CREATE_TRACE_POINTS
#include <trace/events/tlb.h>

DEFINE_PER_CPU(struct tlb_state, cpu_tlbstate);

/* Past this many pages one full flush is cheaper. */
#define SINGLE_PAGE_FLUSH_CEILING	16

struct flush_tlb_info {
	struct mm_struct *mm;
	unsigned long start;
	unsigned long end;
	u64 new_tlb_gen;
	unsigned int initiating_cpu;
};

/* Leaves the page tables that the CPU booted on. */
void load_swapper(void)
{
	this_cpu_ptr(&cpu_tlbstate)->loaded_mm = &init_mm;
	load_mm(&init_mm);
}

/*
 * With interrupts off. The bit in cpu_bitmap is set before the generation is
 * read: a flush that misses the bit is one whose generation is seen here.
 */
void switch_mm_irqs_off(struct mm_struct *prev, struct mm_struct *next,
			struct task_struct *task)
{
	struct tlb_state *state = this_cpu_ptr(&cpu_tlbstate);
	int cpu = smp_processor_id();

	state->is_lazy = false;
	if (state->loaded_mm == next) {
		if (next == &init_mm)
			return;
		smp_mb();
		if (state->tlb_gen == READ_ONCE(next->context.tlb_gen))
			return;
	} else if (state->loaded_mm != &init_mm) {
		cpumask_clear_cpu(cpu, &state->loaded_mm->cpu_bitmap);
	}
	if (next != &init_mm)
		cpumask_set_cpu(cpu, &next->cpu_bitmap);
	state->tlb_gen = READ_ONCE(next->context.tlb_gen);
	state->loaded_mm = next;
	load_mm(next);
	trace_tlb_flush(TLB_FLUSH_ON_TASK_SWITCH, TLB_FLUSH_ALL);
}

/*
 * A kernel thread keeps the page tables that are loaded. While the CPU is lazy,
 * others need not interrupt it for TLB flushes. Called with interrupts off.
 */
void enter_lazy_tlb(struct mm_struct *mm, struct task_struct *task)
{
	this_cpu_ptr(&cpu_tlbstate)->is_lazy = true;
}

/* On each CPU that is to forget, with interrupts off. */
static void flush_tlb_func(void *data)
{
	const struct flush_tlb_info *info = data;
	struct tlb_state *state = this_cpu_ptr(&cpu_tlbstate);
	unsigned long addr, pages;

	if (state->loaded_mm != info->mm || state->is_lazy)
		return;
	if (state->tlb_gen + 1 == info->new_tlb_gen &&
	    info->end - info->start <= SINGLE_PAGE_FLUSH_CEILING * PAGE_SIZE) {
		for (addr = info->start; addr < info->end; addr += PAGE_SIZE)
			local_flush_tlb_page(addr);
		state->tlb_gen = info->new_tlb_gen;
		pages = (info->end - info->start) >> PAGE_SHIFT;
	} else {
		state->tlb_gen = READ_ONCE(info->mm->context.tlb_gen);
		local_flush_tlb_mm(info->mm);
		pages = TLB_FLUSH_ALL;
	}
	trace_tlb_flush(info->initiating_cpu == smp_processor_id() ?
			TLB_LOCAL_MM_SHOOTDOWN : TLB_REMOTE_SHOOTDOWN, pages);
}

static void flush_tlb_multi(const struct cpumask *cpumask,
			    struct flush_tlb_info *info)
{
	struct cpumask active = {};
	int cpu;

	trace_tlb_flush(TLB_REMOTE_SEND_IPI,
			info->end - info->start == TASK_SIZE ? TLB_FLUSH_ALL :
			(info->end - info->start) >> PAGE_SHIFT);

	for_each_cpu(cpu, cpumask)
		if (!READ_ONCE(per_cpu(cpu_tlbstate, cpu).is_lazy))
			__set_bit(cpu, active.bits);
	smp_call_function_many(&active, flush_tlb_func, info, true);
}

/*
 * All CPUs stop using what they know of [start, end), before this returns. With
 * interrupts on: it waits for other CPUs, spinning.
 */
void flush_tlb_mm_range(struct mm_struct *mm, unsigned long start,
			unsigned long end)
{
	struct flush_tlb_info info = { .mm = mm, .start = start, .end = end };
	int cpu = get_cpu();
	unsigned long flags;

	info.initiating_cpu = cpu;
	info.new_tlb_gen = __atomic_add_fetch(&mm->context.tlb_gen, 1,
					      __ATOMIC_SEQ_CST);
	if (this_cpu_ptr(&cpu_tlbstate)->loaded_mm == mm) {
		local_irq_save(flags);
		flush_tlb_func(&info);
		local_irq_restore(flags);
	}
	for (unsigned int i = cpumask_first(&mm->cpu_bitmap); i < nr_cpu_ids;
	     i = cpumask_next(i, &mm->cpu_bitmap)) {
		if (i != cpu) {
			flush_tlb_multi(&mm->cpu_bitmap, &info);
			break;
		}
	}
	put_cpu();
}
