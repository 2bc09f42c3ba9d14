/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The guest's part of the tracer mmiotrace: which mappings are traced, armed
 * pages, and what is recorded.
 *
 * An armed page's entry in the page tables is not present, but has the address
 * and a bit of its own. The host does an access there in one go, so that other
 * CPUs need not stand still meanwhile.
 */
#include <linux/init.h>
#include <linux/io.h>
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mmiotrace.h>
#include <linux/export.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/trace_entries.h>
#include <linux/trace_printk.h>
#include <emu/hostcall.h>
#include <emu/trace_work.h>
#include <asm/proto.h>

/* Software: the page is armed. */
#define _PAGE_KMMIO	(1UL << 9)

struct remap_trace {
	struct list_head list;
	unsigned long addr;
	unsigned long len;
	resource_size_t phys;
	int id;
};

/* While it is on, what happens is recorded. */
DEFINE_STATIC_KEY_FALSE(mmiotrace_key);

static LIST_HEAD(trace_list);
static DEFINE_SPINLOCK(trace_lock);
static bool mmiotrace_enabled;	/* new mappings are traced */
static bool trace_pc;

static int __init set_trace_pc(char *str)
{
	return !kstrtobool(str, &trace_pc);
}
__setup("mmiotrace.trace_pc=", set_trace_pc);

static void mmio_trace_mapping(const struct remap_trace *trace,
			       struct mmiotrace_map map)
{
	struct trace_mmiotrace_map entry = { .map = map };

	entry.map.virt = trace->addr;
	entry.map.map_id = trace->id;
	if (static_branch_unlikely(&mmiotrace_key))
		trace_entry_commit(TRACE_MMIO_MAP, &entry.ent);
}

static void mmio_trace_rw(const struct remap_trace *trace,
			  struct mmiotrace_rw rw)
{
	struct trace_mmiotrace_rw entry = { .rw = rw };

	entry.rw.map_id = trace->id;
	if (static_branch_unlikely(&mmiotrace_key))
		trace_entry_commit(TRACE_MMIO_RW, &entry.ent);
}

int mmiotrace_printk(const char *fmt, ...)
{
	va_list args;
	int len = 0;

	va_start(args, fmt);
	if (static_branch_unlikely(&mmiotrace_key))
		len = __ftrace_vprintk(0, fmt, args);
	va_end(args);
	return len;
}
EXPORT_SYMBOL(mmiotrace_printk);

/* Where the pages of a mapping end. */
static unsigned long trace_end(const struct remap_trace *trace)
{
	return ALIGN(trace->addr + trace->len, PAGE_SIZE);
}

static void set_kmmio_armed(const struct remap_trace *trace, bool armed)
{
	unsigned long page = trace->addr & PAGE_MASK;

	for (; page < trace_end(trace); page += PAGE_SIZE) {
		pte_t *pte = kernel_pte(page);
		unsigned long val = pte_val(*pte);

		val &= ~(_PAGE_PRESENT | _PAGE_KMMIO);
		set_pte(pte, __pte(val | (armed ? _PAGE_KMMIO :
						  _PAGE_PRESENT)));
	}
}

/* A new mapping, which nobody has used yet. */
void mmiotrace_ioremap(resource_size_t offset, unsigned long size,
		       void *addr)
{
	static int next_id;
	struct remap_trace *trace;
	unsigned long flags;

	if (!READ_ONCE(mmiotrace_enabled))
		return;
	trace = kmalloc(sizeof(*trace), GFP_KERNEL);
	if (!trace) {
		pr_err("mmiotrace: kmalloc failed in ioremap\n");
		return;
	}
	*trace = (struct remap_trace){
		.addr = (unsigned long)addr, .len = size, .phys = offset,
	};
	spin_lock_irqsave(&trace_lock, flags);
	if (mmiotrace_enabled) {
		trace->id = ++next_id;
		list_add_tail(&trace->list, &trace_list);
		set_kmmio_armed(trace, true);
		mmio_trace_mapping(trace, (struct mmiotrace_map){
			.phys = offset, .len = size, .opcode = MMIO_PROBE,
		});
		trace = NULL;
	}
	spin_unlock_irqrestore(&trace_lock, flags);
	kfree(trace);
}

/* With the lock held: the mapping's trace, NULL if it is not traced. */
static struct remap_trace *find_trace(unsigned long addr)
{
	struct remap_trace *trace;

	list_for_each_entry(trace, &trace_list, list)
		if (addr >= (trace->addr & PAGE_MASK) &&
		    addr < trace_end(trace))
			return trace;
	return NULL;
}

/* The mapping is about to go. */
void mmiotrace_iounmap(volatile void *addr)
{
	struct remap_trace *trace;
	unsigned long flags;

	spin_lock_irqsave(&trace_lock, flags);
	trace = find_trace((unsigned long)addr);
	if (trace) {
		list_del(&trace->list);
		mmio_trace_mapping(trace, (struct mmiotrace_map){
			.opcode = MMIO_UNPROBE,
		});
	}
	spin_unlock_irqrestore(&trace_lock, flags);
	kfree(trace);
}

/*
 * The host does the access. One that it does not understand is recorded as
 * such, and happens when the page is no longer armed.
 */
static void trace_access(struct pt_regs *regs, unsigned long addr, pte_t *pte,
			 const struct remap_trace *trace)
{
	const u8 *ip = (const u8 *)regs->ip;
	struct mmiotrace_rw rw = {
		.phys = (pte_val(*pte) & PTE_PFN_MASK) | (addr & ~PAGE_MASK),
		.pc = trace_pc ? regs->ip : 0,
	};

	if (hostcall(HC_KMMIO, (unsigned long)regs, addr, (unsigned long)&rw,
		     trace_end(trace) - addr) <= 0) {
		pr_warn("mmiotrace: unknown access at 0x%08lx, page 0x%08lx is no longer traced\n",
			regs->ip, addr & PAGE_MASK);
		rw.opcode = MMIO_UNKNOWN_OP;
		rw.value = ip[0] << 16 | ip[1] << 8 | ip[2];
		set_pte(pte, __pte((pte_val(*pte) & ~_PAGE_KMMIO) |
				   _PAGE_PRESENT));
	}
	mmio_trace_rw(trace, rw);
}

bool kmmio_handler(struct pt_regs *regs, unsigned long addr)
{
	struct remap_trace *trace;
	pte_t *pte;

	if (addr < IOREMAP_START || addr >= IOREMAP_END)
		return false;
	pte = kernel_pte(addr);
	if (!pte || !pte_val(*pte))
		return false;
	spin_lock(&trace_lock);
	trace = find_trace(addr);
	/* Without one, tracing has ended since the fault. */
	if (trace && !pte_present(*pte))
		trace_access(regs, addr, pte, trace);
	spin_unlock(&trace_lock);
	return true;
}

/* The tracer has been set, or is no longer. */
static long mmiotrace_work(const struct trace_work *work)
{
	struct remap_trace *trace, *next;
	unsigned long flags;
	LIST_HEAD(gone);

	if (mmiotrace_enabled == work->argument)
		return 0;
	spin_lock_irqsave(&trace_lock, flags);
	mmiotrace_enabled = work->argument;
	if (!mmiotrace_enabled) {
		list_for_each_entry(trace, &trace_list, list)
			set_kmmio_armed(trace, false);
		list_splice_init(&trace_list, &gone);
	}
	spin_unlock_irqrestore(&trace_lock, flags);
	list_for_each_entry_safe(trace, next, &gone, list) {
		pr_notice("mmiotrace: purging non-iounmapped trace @0x%08lx, size 0x%lx.\n",
			  trace->addr, trace->len);
		kfree(trace);
	}
	pr_info("mmiotrace: %s.\n", work->argument ? "enabled" : "disabled");
	return 0;
}

static int __init mmiotrace_init(void)
{
	trace_work_register(TRACE_WORK_MMIOTRACE, mmiotrace_work);
	return 0;
}
late_initcall(mmiotrace_init);
