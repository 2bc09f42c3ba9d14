/* SPDX-License-Identifier: GPL-2.0-only */
/* What a CPU needs set up before it can take exceptions and system calls. */
#include <linux/kernel.h>
#include <linux/cpu.h>
#include <linux/init.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/tlbflush.h>
#include <asm/desc.h>
#include <asm/msr.h>
#include <asm/proto.h>

#define IST_STACK_SIZE	PAGE_SIZE
#define NMI_STACK_SIZE	(2 * PAGE_SIZE)

struct ist_stacks {
	u8 nmi[NMI_STACK_SIZE];
	u8 double_fault[IST_STACK_SIZE];
} __aligned(16);

static DEFINE_PER_CPU(u64[GDT_ENTRIES], gdt_page);
static DEFINE_PER_CPU(struct tss_struct, cpu_tss);
static DEFINE_PER_CPU(struct ist_stacks, cpu_ist_stacks);

static void set_tss_desc(u64 *gdt, struct tss_struct *tss)
{
	u64 base = (u64)tss;
	u64 limit = sizeof(*tss) - 1;

	gdt[GDT_ENTRY_TSS] = limit | (base & 0xffffff) << 16 |
			     0x89ULL << 40 | (base >> 24 & 0xff) << 56;
	gdt[GDT_ENTRY_TSS + 1] = base >> 32;
}

static void load_gdt_and_tss(void)
{
	u64 *gdt = *this_cpu_ptr(&gdt_page);
	struct tss_struct *tss = this_cpu_ptr(&cpu_tss);
	struct ist_stacks *stacks = this_cpu_ptr(&cpu_ist_stacks);
	struct desc_ptr descr = { sizeof(gdt_page) - 1, (u64)gdt };

	gdt[GDT_ENTRY_KERNEL_CS] = 0x00af9b000000ffff;
	gdt[GDT_ENTRY_KERNEL_DS] = 0x00cf93000000ffff;
	gdt[GDT_ENTRY_USER_DS] = 0x00cff3000000ffff;
	gdt[GDT_ENTRY_USER_CS] = 0x00affb000000ffff;

	tss->sp0 = pcpu_hot_read(top_of_stack);
	tss->ist[IST_INDEX_NMI - 1] =
		(u64)stacks->nmi + NMI_STACK_SIZE;
	tss->ist[IST_INDEX_DF - 1] =
		(u64)stacks->double_fault + IST_STACK_SIZE;
	tss->io_bitmap_base = sizeof(*tss);
	set_tss_desc(gdt, tss);

	asm volatile("lgdt %0" : : "m" (descr));
	/* The data segments' bases are 0 in long mode; GS keeps its MSR. */
	asm volatile("mov %0, %%ds; mov %0, %%es; mov %0, %%ss"
		     : : "r" (__KERNEL_DS));
	asm volatile("push %0; lea 1f(%%rip), %%rax; push %%rax; lretq; 1:"
		     : : "i" (__KERNEL_CS) : "rax", "memory");
	asm volatile("ltr %w0" : : "r" (GDT_ENTRY_TSS * 8));
}

static void syscall_init(void)
{
	wrmsrl(MSR_STAR, (u64)STAR_USER << 48 | (u64)STAR_KERNEL << 32);
	wrmsrl(MSR_LSTAR, (u64)entry_SYSCALL_64);
	wrmsrl(MSR_SYSCALL_MASK, X86_EFLAGS_TF | X86_EFLAGS_IF |
	       X86_EFLAGS_DF | X86_EFLAGS_IOPL | X86_EFLAGS_NT |
	       X86_EFLAGS_AC);
}

static void fpu__init_cpu(void)
{
	unsigned long cr0;

	write_cr4(read_cr4() | X86_CR4_OSFXSR | X86_CR4_OSXMMEXCPT);
	/* The kernel honours read-only pages too: copy_to_user relies on it. */
	asm volatile("mov %%cr0, %0" : "=r" (cr0));
	asm volatile("mov %0, %%cr0"
		     : : "r" (cr0 | X86_CR0_MP | X86_CR0_NE | X86_CR0_WP));
}

/* Where the next entry from user mode starts to push. */
void load_sp0(unsigned long sp0)
{
	this_cpu_ptr(&cpu_tss)->sp0 = sp0;
}

void cpu_init(void)
{
	wrmsrl(MSR_KERNEL_GS_BASE, 0);
	load_gdt_and_tss();
	load_current_idt();
	syscall_init();
	fpu__init_cpu();
	load_swapper();
	__flush_tlb_all();
}
