/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call sites of modules. They are the host's to change; while it is changing
 * sites it cannot gain or lose any, so that we wait.
 */
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <emu/hostcall.h>

int ftrace_module_init(struct module *mod)
{
	return hostcall1(HC_MODULE_INIT, mod) ? -ENOEXEC : 0;
}

void ftrace_module_enable(struct module *mod)
{
	while (hostcall1(HC_MODULE_ENABLE, mod) == -EAGAIN)
		schedule_timeout_uninterruptible(1);
}

void ftrace_free_mem(struct module *mod, void *start, void *end)
{
	while (hostcall3(HC_MODULE_FREE_MEM, mod, start, end) == -EAGAIN)
		schedule_timeout_uninterruptible(1);
}

void ftrace_release_mod(struct module *mod)
{
	while (hostcall1(HC_MODULE_RELEASE, mod) == -EAGAIN)
		schedule_timeout_uninterruptible(1);
}
