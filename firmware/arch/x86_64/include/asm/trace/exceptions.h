/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM exceptions

#if !defined(_TRACE_EXCEPTIONS_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_EXCEPTIONS_H

#include <linux/tracepoint.h>
#include <asm/ptrace.h>

DECLARE_EVENT_CLASS(x86_exceptions,
	TP_PROTO(unsigned long address, struct pt_regs *regs,
		 unsigned long error_code),
	TP_ARGS(address, regs, error_code),
	TP_STRUCT__entry(
		__field(unsigned long, address)
		__field(unsigned long, ip)
		__field(unsigned long, error_code)
	),
	TP_fast_assign(
		__entry->address = address;
		__entry->ip = regs->ip;
		__entry->error_code = error_code;
	),
	TP_printk("address=%ps ip=%ps error_code=0x%lx",
		(void *)__entry->address, (void *)__entry->ip,
		__entry->error_code)
);

DEFINE_EVENT_KEY(x86_exceptions, page_fault_user,
	TP_PROTO(unsigned long address, struct pt_regs *regs,
		 unsigned long error_code),
	TP_ARGS(address, regs, error_code), trace_pagefault_key);

DEFINE_EVENT_KEY(x86_exceptions, page_fault_kernel,
	TP_PROTO(unsigned long address, struct pt_regs *regs,
		 unsigned long error_code),
	TP_ARGS(address, regs, error_code), trace_pagefault_key);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH asm/trace
#include <trace/define_trace.h>
