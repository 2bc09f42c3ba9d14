/* SPDX-License-Identifier: GPL-2.0-only */
/* Idle CPUs without a tick, as the scheduler sees them. */
#ifndef _LINUX_SCHED_NOHZ_H
#define _LINUX_SCHED_NOHZ_H

/* That CPU, if it idles, finds out anew how long it can. */
void wake_up_nohz_cpu(int cpu);

#endif
