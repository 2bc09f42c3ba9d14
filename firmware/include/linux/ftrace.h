/* SPDX-License-Identifier: GPL-2.0-only */
/* Telling the host, which does the tracing, about modules. */
#ifndef _LINUX_FTRACE_H
#define _LINUX_FTRACE_H

struct module;

/*
 * Makes nops of a module's call sites, which nobody executes yet; from here on
 * they can be traced. -EINVAL if the file's table of them is wrong.
 */
int ftrace_module_init(struct module *mod);
/* The tracer in force gets the sites that its filters select. */
void ftrace_module_enable(struct module *mod);
/* Sites in [start, end) are gone: a module's init code. May sleep. */
void ftrace_free_mem(struct module *mod, void *start, void *end);
/* All of a module's sites are gone. May sleep. */
void ftrace_release_mod(struct module *mod);

#endif
