/* SPDX-License-Identifier: GPL-2.0-only */
/* What privileged code can ask the host for; see docs/board.md. */
#ifndef _EMU_HOSTCALL_H
#define _EMU_HOSTCALL_H

/*
 * Every host call, in numeric order. A number that is in use stays; that of a
 * call which is gone is not given to another.
 */
#define HOST_CALLS(CALL)			\
	CALL(HC_CONSOLE_WRITE, 1)		\
	CALL(HC_CONSOLE_READ, 2)		\
	CALL(HC_POWER_OFF, 3)			\
	CALL(HC_PANIC, 4)			\
	CALL(HC_TIMER_SET, 5)			\
	CALL(HC_IPI, 6)				\
	CALL(HC_CPU_START, 7)			\
	CALL(HC_CPU_ONLINE, 8)			\
	CALL(HC_STALL_UNTIL, 9)			\
	CALL(HC_UPCALL_NEXT, 10)		\
	CALL(HC_UPCALL_DONE, 11)		\
	CALL(HC_FLUSH_ICACHE_PAGE, 12)		\
	CALL(HC_BREAKPOINT, 13)			\
	CALL(HC_COMMAND_READ, 14)		\
	CALL(HC_COMMAND_DONE, 15)		\
	CALL(HC_BUG, 16)			\
	CALL(HC_NMI_TIMER_SET, 17)		\
	CALL(HC_RELAX, 18)			\
	CALL(HC_HALT, 19)			\
	CALL(HC_FILE_REQUEST, 20)		\
	CALL(HC_FILE_ANSWERED, 21)		\
	CALL(HC_FILE_CANCEL, 22)		\
	CALL(HC_MODULE_INIT, 24)		\
	CALL(HC_MODULE_ENABLE, 25)		\
	CALL(HC_MODULE_FREE_MEM, 26)		\
	CALL(HC_MODULE_RELEASE, 27)		\
	CALL(HC_CONSOLE_SIZE, 28)		\
	CALL(HC_SHOW_REGS, 29)			\
	CALL(HC_BLOCK_INFO, 30)			\
	CALL(HC_BLOCK_SUBMIT, 31)		\
	CALL(HC_BLOCK_COMPLETED, 32)		\
	CALL(HC_TRACE_PRINTK, 33)		\
	CALL(HC_FTRACE_ENABLED, 34)		\
	CALL(HC_COMMAND_GIVEN_UP, 35)		\
	CALL(HC_COMMAND_EXEC, 36)		\
	CALL(HC_DISASSEMBLE, 37)		\
	CALL(HC_TRACE_BPRINT, 38)		\
	CALL(HC_TRACE_BPUTS, 39)		\
	CALL(HC_TRACE_WORK_NEXT, 40)		\
	CALL(HC_TRACE_WORK_DONE, 41)		\
	CALL(HC_TRACING_ON, 42)			\
	CALL(HC_FTRACE_DUMP, 43)		\
	CALL(HC_TRACING_SNAPSHOT, 44)		\
	CALL(HC_TRACING_MAX_LATENCY, 45)	\
	CALL(HC_STACK_TRACER, 46)		\
	CALL(HC_STACK_TRACE_SAVE, 47)		\
	CALL(HC_KMMIO, 48)			\
	CALL(HC_FTRACE_LOCATION, 56)		\
	CALL(HC_FTRACE_MATCH, 57)		\
	CALL(HC_FTRACE_DIRECT, 58)		\
	CALL(HC_TRACE_ARRAY_GET, 59)		\
	CALL(HC_TRACE_ARRAY_PUT, 60)		\
	CALL(HC_TRACE_ARRAY_DESTROY, 61)	\
	CALL(HC_TRACE_ARRAY_PRINTK, 62)		\
	CALL(HC_TRACE_ARRAY_EVENT, 63)		\
	CALL(HC_TRACER_PRINTK, 64)		\
	CALL(HC_TRACER_OFF, 65)			\
	CALL(HC_TRACEPOINT_PRINTK, 66)		\
	CALL(HC_TRACEPOINT_PRINTK_LINE, 67)	\
	CALL(HC_KPROBE_REGISTER, 68)		\
	CALL(HC_KPROBE_UNREGISTER, 69)		\
	CALL(HC_KPROBE_ENABLE, 70)

#define HOST_CALL_NUMBER(name, nr)	name = nr,
enum { HOST_CALLS(HOST_CALL_NUMBER) };
#undef HOST_CALL_NUMBER

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
