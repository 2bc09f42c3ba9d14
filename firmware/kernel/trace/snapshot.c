/* SPDX-License-Identifier: GPL-2.0-only */
/* Snapshots of the trace that the kernel itself takes. The host has them. */
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <linux/trace_printk.h>
#include <emu/hostcall.h>

#define SNAPSHOT_ALLOC	0
#define SNAPSHOT_TAKE	1	/* 1: done, 0: there is no room for it */

static notrace void say(unsigned long ip, const char *str)
{
	__trace_puts(ip, str, strlen(str));
}

notrace void tracing_snapshot(void)
{
	if (in_nmi()) {
		say(_THIS_IP_, "*** SNAPSHOT CALLED FROM NMI CONTEXT ***\n");
		say(_THIS_IP_, "*** snapshot is being ignored        ***\n");
		return;
	}
	if (hostcall1(HC_TRACING_SNAPSHOT, SNAPSHOT_TAKE))
		return;
	say(_THIS_IP_, "*** SNAPSHOT NOT ALLOCATED ***\n");
	say(_THIS_IP_, "*** stopping trace here!   ***\n");
	tracing_off();
}

notrace int tracing_alloc_snapshot(void)
{
	return hostcall1(HC_TRACING_SNAPSHOT, SNAPSHOT_ALLOC);
}

notrace void tracing_snapshot_alloc(void)
{
	if (!tracing_alloc_snapshot())
		tracing_snapshot();
}

static bool snapshot_at_boot __initdata;

/* The host has made room for it. */
static int __init boot_snapshot(char *str)
{
	snapshot_at_boot = true;
	return 1;
}
__setup("ftrace_boot_snapshot", boot_snapshot);

void __init ftrace_boot_snapshot(void)
{
	if (!snapshot_at_boot)
		return;
	tracing_snapshot();
	say(_THIS_IP_, "** Boot snapshot taken **\n");
}
