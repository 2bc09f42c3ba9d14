/* SPDX-License-Identifier: GPL-2.0-only */
/* Borders of the image's parts, from vmlinux.lds.h. */
#ifndef _ASM_SECTIONS_H
#define _ASM_SECTIONS_H

extern char _text[], _stext[], _etext[];
extern char __sched_text_start[], __sched_text_end[];
extern char __ftrace_tramp_start[], __ftrace_shared[], __ftrace_tramp_end[];
extern char __start_rodata[], __end_rodata[];
extern char _sdata[], _edata[];
extern char __bss_start[], __bss_stop[];
extern char _end[];

#endif
