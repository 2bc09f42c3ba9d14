/* SPDX-License-Identifier: GPL-2.0-only */
/* osnoise and timerlat, as ktraced starts and stops them. */
#ifndef _KERNEL_TRACE_OSNOISE_H
#define _KERNEL_TRACE_OSNOISE_H

#include <emu/trace_work.h>

long osnoise_workload_start(const struct trace_work *work);
long osnoise_workload_stop(const struct trace_work *work);

#endif
