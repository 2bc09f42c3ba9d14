/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs that have nothing in the CPU but what pt_regs hold. */
#include <linux/sched.h>
#include "fallback.h"

__fallback void flush_thread(void)
{
}
