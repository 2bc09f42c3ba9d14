/* SPDX-License-Identifier: GPL-2.0-only */
/* What the host knows of tracers in the guest: of osnoise, timerlat, branch. */
#include <linux/interrupt.h>
#include <linux/osnoise.h>
#include <emu/layout.h>

LAYOUT_SIZE(ftrace_likely_data);
LAYOUT(ftrace_likely_data, data.func);
LAYOUT(ftrace_likely_data, data.file);
LAYOUT(ftrace_likely_data, data.line);
LAYOUT(ftrace_likely_data, data.correct);
LAYOUT(ftrace_likely_data, data.incorrect);
LAYOUT(ftrace_likely_data, constant);

LAYOUT(osnoise_data, sample_period);
LAYOUT(osnoise_data, sample_runtime);
LAYOUT(osnoise_data, stop_tracing);
LAYOUT(osnoise_data, stop_tracing_total);
LAYOUT(osnoise_data, timerlat_period);
LAYOUT(osnoise_data, print_stack);
LAYOUT(osnoise_data, options);
LAYOUT(osnoise_data, cpus);

/* The print fmt of softirq_noise */
LAYOUT_CONST(HI_SOFTIRQ);
LAYOUT_CONST(TIMER_SOFTIRQ);
LAYOUT_CONST(NET_TX_SOFTIRQ);
LAYOUT_CONST(NET_RX_SOFTIRQ);
LAYOUT_CONST(BLOCK_SOFTIRQ);
LAYOUT_CONST(IRQ_POLL_SOFTIRQ);
LAYOUT_CONST(TASKLET_SOFTIRQ);
LAYOUT_CONST(SCHED_SOFTIRQ);
LAYOUT_CONST(HRTIMER_SOFTIRQ);
LAYOUT_CONST(RCU_SOFTIRQ);
