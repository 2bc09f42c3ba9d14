/* SPDX-License-Identifier: GPL-2.0-only */
/* The interrupt descriptor table, shared by all CPUs. */
#include <linux/kernel.h>
#include <linux/init.h>
#include <asm/desc.h>
#include <asm/irq.h>
#include <asm/proto.h>

#define IDT_ENTRIES	256

struct idt_data {
	unsigned int vector;
	u8 ist;
	u8 type;
	void (*entry)(void);
};

#define ENTRY(v, name)	{ v, 0, GATE_INTERRUPT, asm_##name }
#define DECLARE(name)	extern void asm_##name(void)

DECLARE(exc_divide_error);
DECLARE(exc_debug);
DECLARE(exc_nmi);
DECLARE(exc_int3);
DECLARE(exc_overflow);
DECLARE(exc_bounds);
DECLARE(exc_invalid_op);
DECLARE(exc_device_not_available);
DECLARE(exc_double_fault);
DECLARE(exc_invalid_tss);
DECLARE(exc_segment_not_present);
DECLARE(exc_stack_segment);
DECLARE(exc_general_protection);
DECLARE(exc_page_fault);
DECLARE(exc_coprocessor_error);
DECLARE(exc_alignment_check);
DECLARE(exc_simd_coprocessor_error);
DECLARE(sysvec_apic_timer_interrupt);
DECLARE(sysvec_host_device);
DECLARE(sysvec_block_device);
DECLARE(sysvec_call_function);
DECLARE(sysvec_reschedule_ipi);
DECLARE(sysvec_upcall);
DECLARE(sysvec_spurious);

static const struct idt_data idt_entries[] = {
	ENTRY(0, exc_divide_error),
	ENTRY(1, exc_debug),
	{ 2, IST_INDEX_NMI, GATE_INTERRUPT, asm_exc_nmi },
	{ 3, 0, GATE_INTERRUPT_USER, asm_exc_int3 },
	{ 4, 0, GATE_INTERRUPT_USER, asm_exc_overflow },
	ENTRY(5, exc_bounds),
	ENTRY(6, exc_invalid_op),
	ENTRY(7, exc_device_not_available),
	{ 8, IST_INDEX_DF, GATE_INTERRUPT, asm_exc_double_fault },
	ENTRY(10, exc_invalid_tss),
	ENTRY(11, exc_segment_not_present),
	ENTRY(12, exc_stack_segment),
	ENTRY(13, exc_general_protection),
	ENTRY(14, exc_page_fault),
	ENTRY(16, exc_coprocessor_error),
	ENTRY(17, exc_alignment_check),
	ENTRY(19, exc_simd_coprocessor_error),
	ENTRY(LOCAL_TIMER_VECTOR, sysvec_apic_timer_interrupt),
	ENTRY(UPCALL_VECTOR, sysvec_upcall),
	ENTRY(HOST_DEVICE_VECTOR, sysvec_host_device),
	ENTRY(BLOCK_DEVICE_VECTOR, sysvec_block_device),
	ENTRY(CALL_FUNCTION_VECTOR, sysvec_call_function),
	ENTRY(RESCHEDULE_VECTOR, sysvec_reschedule_ipi),
};

static struct gate_desc idt_table[IDT_ENTRIES] __aligned(4096);

static void set_gate(const struct idt_data *d)
{
	unsigned long entry = (unsigned long)d->entry;

	idt_table[d->vector] = (struct gate_desc){
		.offset_low = (u16)entry,
		.segment = __KERNEL_CS,
		.ist = d->ist,
		.type = d->type,
		.offset_middle = (u16)(entry >> 16),
		.offset_high = (u32)(entry >> 32),
	};
}

void trap_init(void)
{
	struct idt_data spurious = ENTRY(0, sysvec_spurious);
	unsigned int i;

	for (i = 32; i < IDT_ENTRIES; i++) {
		spurious.vector = i;
		set_gate(&spurious);
	}
	for (i = 0; i < ARRAY_SIZE(idt_entries); i++)
		set_gate(&idt_entries[i]);
}

void load_current_idt(void)
{
	struct desc_ptr descr = { sizeof(idt_table) - 1, (u64)idt_table };

	asm volatile("lidt %0" : : "m" (descr));
}
