/* SPDX-License-Identifier: GPL-2.0-only */
/* What privileged code can ask the host for; see docs/board.md. */
#ifndef _EMU_HOSTCALL_H
#define _EMU_HOSTCALL_H

#define HC_CONSOLE_WRITE	1
#define HC_CONSOLE_READ		2
#define HC_POWER_OFF		3
#define HC_PANIC		4
#define HC_TIMER_SET		5
#define HC_IPI			6
#define HC_CPU_START		7
#define HC_CPU_ONLINE		8
#define HC_STALL_UNTIL		9
#define HC_UPCALL_NEXT		10
#define HC_UPCALL_DONE		11
#define HC_FLUSH_ICACHE_PAGE	12
#define HC_BREAKPOINT		13
#define HC_COMMAND_READ		14
#define HC_COMMAND_DONE		15
#define HC_BUG			16
#define HC_NMI_TIMER_SET	17
#define HC_RELAX		18
#define HC_HALT			19
#define HC_FILE_REQUEST		20
#define HC_FILE_ANSWERED	21
#define HC_FILE_CANCEL		22
#define HC_CONSOLE_SIZE		28
#define HC_BLOCK_INFO		30
#define HC_BLOCK_SUBMIT		31
#define HC_BLOCK_COMPLETED	32
#define HC_MODULE_INIT		24
#define HC_MODULE_ENABLE	25
#define HC_MODULE_FREE_MEM	26
#define HC_MODULE_RELEASE	27
#define HC_SHOW_REGS		29
#define HC_TRACE_PRINTK		33
#define HC_FTRACE_ENABLED	34
#define HC_COMMAND_GIVEN_UP	35

#ifndef __ASSEMBLY__

/* The result, or -errno. Arguments that a call does not have are ignored. */
long hostcall(unsigned long nr, unsigned long a, unsigned long b,
	      unsigned long c, unsigned long d);

#define hostcall0(nr)		hostcall(nr, 0, 0, 0, 0)
#define hostcall1(nr, a)	hostcall(nr, (unsigned long)(a), 0, 0, 0)
#define hostcall2(nr, a, b) \
	hostcall(nr, (unsigned long)(a), (unsigned long)(b), 0, 0)
#define hostcall3(nr, a, b, c) \
	hostcall(nr, (unsigned long)(a), (unsigned long)(b), \
		 (unsigned long)(c), 0)

#endif
#endif
