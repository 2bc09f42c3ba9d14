/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/modules: a line for each module, the latest first. */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include "internal.h"

/* Modules and anything else that use this one. */
static void print_unload_info(struct seq_file *m, struct module *mod)
{
	struct module_use *use;
	bool any = false;

	seq_printf(m, " %d ", module_refcount(mod));
	list_for_each_entry(use, &mod->source_list, source_list) {
		seq_printf(m, "%s,", use->source->name);
		any = true;
	}
	if (mod->init && !mod->exit) {
		seq_puts(m, "[permanent],");
		any = true;
	}
	if (!any)
		seq_puts(m, "-");
}

static const char *state_name(const struct module *mod)
{
	switch (mod->state) {
	case MODULE_STATE_GOING:
		return "Unloading";
	case MODULE_STATE_COMING:
		return "Loading";
	default:
		return "Live";
	}
}

static void *m_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&module_mutex);
	return seq_list_start(&modules, *pos);
}

static void *m_next(struct seq_file *m, void *v, loff_t *pos)
{
	return seq_list_next(v, &modules, pos);
}

static void m_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&module_mutex);
}

static int m_show(struct seq_file *m, void *v)
{
	struct module *mod = list_entry(v, struct module, list);

	if (mod->state == MODULE_STATE_UNFORMED)
		return 0;
	seq_printf(m, "%s %u", mod->name,
		   mod->core_layout.size + mod->init_layout.size);
	print_unload_info(m, mod);
	seq_printf(m, " %s 0x%016lx", state_name(mod),
		   (unsigned long)mod->core_layout.base);
	if (mod->taints)
		seq_printf(m, " (%s%s)",
			   mod->taints & 1u << TAINT_PROPRIETARY_MODULE ?
			   "P" : "",
			   mod->taints & 1u << TAINT_OOT_MODULE ? "O" : "");
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations modules_op = {
	.start	= m_start,
	.next	= m_next,
	.stop	= m_stop,
	.show	= m_show,
};

static int __init proc_modules_init(void)
{
	proc_create_seq("modules", 0, NULL, &modules_op);
	return 0;
}
device_initcall(proc_modules_init);
