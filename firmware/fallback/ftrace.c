/* SPDX-License-Identifier: GPL-2.0-only */
/* Where calls return to, if the port had them do it. */
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/rethook.h>
#include "fallback.h"

#define __ftrace_stub	__fallback notrace __section(".ftrace.text")

__ftrace_stub void return_to_handler(void)
{
	panic("%s: this port does not have it yet", __func__);
}

__ftrace_stub void arch_rethook_trampoline(void)
{
	panic("%s: this port does not have it yet", __func__);
}

__ftrace_stub void kretprobe_trap(void)
{
	panic("%s: this port does not have it yet", __func__);
}
