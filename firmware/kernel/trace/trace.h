/* SPDX-License-Identifier: GPL-2.0-only */
/* What the hooks of interrupts and preemption tell the latency tracers. */
#ifndef _KERNEL_TRACE_TRACE_H
#define _KERNEL_TRACE_TRACE_H

/* @a0: the place; @a1: where it was called from, 0 if that is not known. */
void tracer_hardirqs_off(unsigned long a0, unsigned long a1);
void tracer_hardirqs_on(unsigned long a0, unsigned long a1);
void tracer_preempt_off(unsigned long a0, unsigned long a1);
void tracer_preempt_on(unsigned long a0, unsigned long a1);

/* In .ftrace.text: the host acts when a block begins there. */
void latency_irqs_off(unsigned long ip, unsigned long parent_ip);
void latency_irqs_on(unsigned long ip, unsigned long parent_ip);
void latency_preempt_off(unsigned long ip, unsigned long parent_ip);
void latency_preempt_on(unsigned long ip, unsigned long parent_ip);
void latency_stop(unsigned long ip, unsigned long parent_ip);
void latency_start(unsigned long ip, unsigned long parent_ip);

#endif
