/* SPDX-License-Identifier: GPL-2.0-only */
/* Events of programs, which the host defines. */
#ifndef _TRACE_UPROBE_H
#define _TRACE_UPROBE_H

#include <emu/trace_work.h>

/* In .ftrace.text: the host records what was hit. */
void uprobe_dispatch(u64 id, struct pt_regs *regs);
void uretprobe_dispatch(u64 id, struct pt_regs *regs, unsigned long func);

/* ktraced's: 0 or -errno. */
long create_trace_uprobe(const struct trace_work *work);
long trace_uprobe_enable(const struct trace_work *work);
long trace_uprobe_disable(const struct trace_work *work);
long trace_uprobe_remove(const struct trace_work *work);

#endif
