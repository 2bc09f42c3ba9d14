/* SPDX-License-Identifier: GPL-2.0-only */
/* Loadable modules: for those who write them, and for the rest of the kernel. */
#ifndef _LINUX_MODULE_H
#define _LINUX_MODULE_H

#include <linux/atomic.h>
#include <linux/elf.h>
#include <linux/export.h>
#include <linux/extable.h>
#include <linux/init.h>
#include <linux/jump_label.h>
#include <linux/list.h>
#include <linux/moduleparam.h>
#include <linux/trace_events.h>
#include <linux/types.h>

#define MODULE_NAME_LEN	(64 - sizeof(unsigned long))

enum module_state {
	MODULE_STATE_LIVE,
	MODULE_STATE_COMING,	/* formed, its init is running */
	MODULE_STATE_GOING,
	MODULE_STATE_UNFORMED,	/* still being put together */
};

/* One of a module's two parts: what stays, and what only its init needs. */
struct module_layout {
	void *base;
	unsigned int size;
	unsigned int text_size;		/* executable, from base on */
	unsigned int ro_size;		/* with what is only read */
};

/* A symbol table in the module's own memory. */
struct mod_kallsyms {
	struct elf64_sym *symtab;
	unsigned int num_symtab;
	char *strtab;
	unsigned int strtab_size;
};

struct module {
	enum module_state state;
	struct list_head list;
	char name[MODULE_NAME_LEN];

	const struct kernel_symbol *syms;
	unsigned int num_syms;
	const struct kernel_symbol *gpl_syms;
	unsigned int num_gpl_syms;
	bool using_gplonly_symbols;

	const struct kernel_param *kp;
	unsigned int num_kp;

	const struct exception_table_entry *extable;
	unsigned int num_exentries;

	int (*init)(void);
	void (*exit)(void);

	struct module_layout core_layout;
	struct module_layout init_layout;

	/* The host reads this one; init's symbols are left out of core's. */
	struct mod_kallsyms *kallsyms;
	struct mod_kallsyms init_kallsyms;
	struct mod_kallsyms core_kallsyms;

	/* What the host reads, too */
	/* Formats of trace_printk() */
	const char **trace_bprintk_fmt_start;
	unsigned int num_trace_bprintk_fmt;

	unsigned long *ftrace_callsites;
	unsigned int num_ftrace_callsites;
	struct jump_entry *jump_entries;
	unsigned int num_jump_entries;
	struct trace_event_call **trace_events;
	unsigned int num_trace_events;
	struct trace_eval_map **trace_evals;
	unsigned int num_trace_evals;

	unsigned int taints;
	const char *version;
	char *args;
	struct module_kobject *mkobj;	/* /sys/module/NAME */

	struct list_head source_list;	/* modules that use this one */
	struct list_head target_list;	/* those that this one uses */
	atomic_t refcnt;
};

#define MODULE_INFO(tag, info)		__MODULE_INFO(tag, tag, info)
#define MODULE_LICENSE(text)		MODULE_INFO(license, text)
#define MODULE_AUTHOR(text)		MODULE_INFO(author, text)
#define MODULE_DESCRIPTION(text)	MODULE_INFO(description, text)
#define MODULE_VERSION(text)		MODULE_INFO(version, text)
#define MODULE_ALIAS(text)		MODULE_INFO(alias, text)
#define MODULE_ALIAS_FS(name)		MODULE_ALIAS("fs-" name)

#ifdef MODULE
extern struct module __this_module;
#define THIS_MODULE	(&__this_module)
#else
#define THIS_MODULE	((struct module *)NULL)
#endif

/* A module that is not going away has references; NULL stands for the kernel. */
bool try_module_get(struct module *module);
void __module_get(struct module *module);
void module_put(struct module *module);
int module_refcount(struct module *module);

/* Says which ones are loaded; "(+)" is coming, "(-)" going. */
void print_modules(void);

#define module_is_live(mod)	((mod)->state != MODULE_STATE_GOING)

/* For RCU readers: it stays until they have ended. */
struct module *__module_address(unsigned long addr);
const struct exception_table_entry *
search_module_extables(unsigned long addr);

#endif
