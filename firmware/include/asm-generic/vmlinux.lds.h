/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the parts of the kernel image lie. An architecture's vmlinux.lds.in
 * names its format and the image's entry, and defines before it includes this:
 *
 * LOAD_OFFSET	what is taken off an address, for where it lies in RAM
 * KERNEL_TEXT	the parts of the code, where their order is not the one below
 */
#include <asm/page.h>

#define BOUNDED(first, input, last)	first = .; input last = .;

/* A section of its own with the entries of a table. */
#define TABLE(name, alignment, first, last)				\
	name ALIGN(alignment) : AT(ADDR(name) - LOAD_OFFSET) {		\
		BOUNDED(first, KEEP(*(name)), last)			\
	} :rodata

#define INITCALLS(level)						\
	__initcall##level##_start = .;					\
	KEEP(*(.initcall##level.init))

#define HEAD_TEXT	*(.head.text)
#define TEXT_TEXT	*(.text .text.*) *(.init.text)
#define SCHED_TEXT \
	BOUNDED(__sched_text_start, *(.sched.text), __sched_text_end)
#define LOCK_TEXT \
	BOUNDED(__lock_text_start, *(.spinlock.text), __lock_text_end)
#define ENTRY_TEXT \
	BOUNDED(__entry_text_start, *(.entry.text), __entry_text_end)
#define IRQENTRY_TEXT							\
	BOUNDED(__irqentry_text_start, *(.irqentry.text),		\
		__irqentry_text_end)
#define SOFTIRQENTRY_TEXT						\
	BOUNDED(__softirqentry_text_start, *(.softirqentry.text),	\
		__softirqentry_text_end)

#ifndef KERNEL_TEXT
#define KERNEL_TEXT \
	HEAD_TEXT TEXT_TEXT SCHED_TEXT LOCK_TEXT ENTRY_TEXT \
	IRQENTRY_TEXT SOFTIRQENTRY_TEXT
#endif

PHDRS
{
	text PT_LOAD FLAGS(5);
	rodata PT_LOAD FLAGS(4);
	data PT_LOAD FLAGS(6);
}

SECTIONS
{
	. = KERNEL_START;
	_text = .;
	_stext = .;

	.text : AT(ADDR(.text) - LOAD_OFFSET) {
		KERNEL_TEXT
	} :text

	.ftrace.text ALIGN(PAGE_SIZE) :
			AT(ADDR(.ftrace.text) - LOAD_OFFSET) {
		BOUNDED(__ftrace_text_start, *(.ftrace.text), __ftrace_text_end)
	} :text
	ASSERT(SIZEOF(.ftrace.text) <= PAGE_SIZE, "one page of ftrace stubs")
	_etext = .;

	/* The host writes trampolines here; it has no bytes in the file. */
	.ftrace.tramp ALIGN(PAGE_SIZE) (NOLOAD) :
			AT(ADDR(.ftrace.tramp) - LOAD_OFFSET) {
		__ftrace_tramp_start = .;
		. += 0x10000 - PAGE_SIZE;
		__ftrace_shared = .;
		. += PAGE_SIZE;
		__ftrace_tramp_end = .;
	} :text

	. = ALIGN(PAGE_SIZE);
	__start_rodata = .;
	.rodata : AT(ADDR(.rodata) - LOAD_OFFSET) {
		/* Scheduling classes in their order, the lowest first. */
		. = ALIGN(64);
		__begin_sched_classes = .;
		*(__idle_sched_class)
		*(__fair_sched_class)
		*(__rt_sched_class)
		*(__dl_sched_class)
		*(__stop_sched_class)
		__end_sched_classes = .;
		*(.rodata .rodata.*)
	} :rodata

	TABLE(__ex_table, 16, __start___ex_table, __stop___ex_table)
	TABLE(__trace_printk_fmt, 8, __start___trace_printk_fmt,
	      __stop___trace_printk_fmt)
	TABLE(__tracepoint_str, 8, __start___tracepoint_str,
	      __stop___tracepoint_str)

	/* What modules may use, in order of names. */
	__ksymtab ALIGN(8) : AT(ADDR(__ksymtab) - LOAD_OFFSET) {
		BOUNDED(__start___ksymtab, KEEP(*(SORT(___ksymtab+*))),
			__stop___ksymtab)
		BOUNDED(__start___ksymtab_gpl, KEEP(*(SORT(___ksymtab_gpl+*))),
			__stop___ksymtab_gpl)
	} :rodata

	__ksymtab_strings : AT(ADDR(__ksymtab_strings) - LOAD_OFFSET) {
		*(__ksymtab_strings)
	} :rodata

	.kallsyms ALIGN(8) : AT(ADDR(.kallsyms) - LOAD_OFFSET) {
		KEEP(*(.kallsyms))
	} :rodata

	.initcalls ALIGN(8) : AT(ADDR(.initcalls) - LOAD_OFFSET) {
		INITCALLS(0)
		INITCALLS(1)
		INITCALLS(2)
		INITCALLS(3)
		INITCALLS(4)
		INITCALLS(5)
		INITCALLS(6)
		INITCALLS(7)
		__initcall_end = .;
	} :rodata

	TABLE(.init.setup, 8, __setup_start, __setup_end)
	TABLE(__mcount_loc, 8, __start_mcount_loc, __stop_mcount_loc)

	/* Branches of static keys, and what the host reads of events. */
	TABLE(__jump_table, 8, __start___jump_table, __stop___jump_table)
	TABLE(_ftrace_events, 8, __start_ftrace_events, __stop_ftrace_events)
	TABLE(_ftrace_eval_map, 8, __start_ftrace_eval_maps,
	      __stop_ftrace_eval_maps)
	TABLE(__syscalls_metadata, 8, __start_syscalls_metadata,
	      __stop_syscalls_metadata)
	TABLE(.emu.layout, 64, __start_emu_layout, __stop_emu_layout)
	__end_rodata = .;

	. = ALIGN(PAGE_SIZE);
	_sdata = .;
	/* CPU 0 uses these in place; the others get copies. */
	.data..percpu ALIGN(64) : AT(ADDR(.data..percpu) - LOAD_OFFSET) {
		__per_cpu_start = .;
		*(.data..percpu)
		. = ALIGN(64);
		__per_cpu_end = .;
	} :data
	.data : AT(ADDR(.data) - LOAD_OFFSET) {
		*(.data.page_aligned)
		*(.data .data.*)
		*(.init.data)
		. = ALIGN(8);
		BOUNDED(__start_annotated_branch_profile,
			KEEP(*(_ftrace_annotated_branch)),
			__stop_annotated_branch_profile)
	} :data

	_edata = .;

	.bss ALIGN(PAGE_SIZE) : AT(ADDR(.bss) - LOAD_OFFSET) {
		__bss_start = .;
		*(.bss.page_aligned)
		*(.bss .bss.*)
		__bss_stop = .;
	} :data

	. = ALIGN(PAGE_SIZE);
	_end = .;

	/DISCARD/ : {
		*(.note.*)
		*(.eh_frame)
	}

	.comment 0 : { *(.comment) }
	.debug_info 0 : { *(.debug_info) }
	.debug_abbrev 0 : { *(.debug_abbrev) }
	.debug_aranges 0 : { *(.debug_aranges) }
	.debug_line 0 : { *(.debug_line) }
	.debug_str 0 : { *(.debug_str) }
	.debug_line_str 0 : { *(.debug_line_str) }
	.debug_loclists 0 : { *(.debug_loclists) }
	.debug_rnglists 0 : { *(.debug_rnglists) }
	.debug_frame 0 : { *(.debug_frame) }
	.symtab 0 : { *(.symtab) }
	.strtab 0 : { *(.strtab) }
	.shstrtab 0 : { *(.shstrtab) }
}
