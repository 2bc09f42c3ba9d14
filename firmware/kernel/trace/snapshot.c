/* SPDX-License-Identifier: GPL-2.0-only */
/* Snapshots of the trace that the kernel itself takes. The host has them. */
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/trace_printk.h>
#include <emu/hostcall.h>

#define SNAPSHOT_ALLOC	0
#define SNAPSHOT_TAKE	1

/* What the trace says when there can be none, it says by this name. */
static notrace __attribute__((noinline)) void
tracing_snapshot_instance_cond(void)
{
	hostcall1(HC_TRACING_SNAPSHOT, SNAPSHOT_TAKE);
}

notrace void tracing_snapshot(void)
{
	tracing_snapshot_instance_cond();
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
	static const char done[] = "** Boot snapshot taken **\n";

	if (!snapshot_at_boot)
		return;
	tracing_snapshot();
	__trace_puts(_THIS_IP_, done, strlen(done));
}
