/* SPDX-License-Identifier: GPL-2.0-only */
/* Selectors of the kernel's GDT. */
#ifndef _ASM_SEGMENT_H
#define _ASM_SEGMENT_H

#define GDT_ENTRY_KERNEL_CS	2
#define GDT_ENTRY_KERNEL_DS	3
#define GDT_ENTRY_USER_DS	5
#define GDT_ENTRY_USER_CS	6
#define GDT_ENTRY_TSS		8	/* takes two entries */
#define GDT_ENTRIES		10

#define __KERNEL_CS		(GDT_ENTRY_KERNEL_CS * 8)
#define __KERNEL_DS		(GDT_ENTRY_KERNEL_DS * 8)
#define __USER_DS		(GDT_ENTRY_USER_DS * 8 + 3)
#define __USER_CS		(GDT_ENTRY_USER_CS * 8 + 3)

/* syscall loads CS from here and SS from the next entry, ... */
#define STAR_KERNEL		__KERNEL_CS
/* ... and sysretq SS from the entry behind this and CS from the next. */
#define STAR_USER		(__USER_DS - 8)

#endif
