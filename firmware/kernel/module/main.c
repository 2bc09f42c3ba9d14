/* SPDX-License-Identifier: GPL-2.0-only */
/* Loading a module, and letting it go. */
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/moduleloader.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_printk.h>
#include <asm/cacheflush.h>
#include "internal.h"

#define CREATE_TRACE_POINTS
#include <trace/events/module.h>

DEFINE_MUTEX(module_mutex);
LIST_HEAD(modules);
DECLARE_WAIT_QUEUE_HEAD(module_wq);

/* With module_mutex held, or as an RCU reader. */
static struct module *find_module_all(const char *name, bool even_unformed)
{
	struct module *mod;

	list_for_each_entry(mod, &modules, list)
		if ((even_unformed || mod->state != MODULE_STATE_UNFORMED) &&
		    !strcmp(mod->name, name))
			return mod;
	return NULL;
}

struct module *find_module(const char *name)
{
	return find_module_all(name, false);
}

struct module *__module_address(unsigned long addr)
{
	struct module *mod;

	list_for_each_entry(mod, &modules, list)
		if (mod->state != MODULE_STATE_UNFORMED &&
		    (within_module_core(mod, addr) ||
		     within_module_init(mod, addr)))
			return mod;
	return NULL;
}

/* The module whose instruction faulted stays: it is being executed. */
const struct exception_table_entry *search_module_extables(unsigned long addr)
{
	const struct exception_table_entry *e = NULL;
	struct module *mod;

	rcu_read_lock();
	mod = __module_address(addr);
	if (mod)
		e = search_extable(mod->extable, mod->num_exentries, addr);
	rcu_read_unlock();
	return e;
}

void print_modules(void)
{
	char text[256] = "";
	struct module *mod;
	size_t len = 0;

	rcu_read_lock();
	list_for_each_entry(mod, &modules, list) {
		if (mod->state == MODULE_STATE_UNFORMED)
			continue;
		len += scnprintf(text + len, sizeof(text) - len, " %s%s",
				 mod->name,
				 mod->state == MODULE_STATE_COMING ? "(+)" :
				 mod->state == MODULE_STATE_GOING ? "(-)" : "");
	}
	rcu_read_unlock();
	printk("Modules linked in:%s\n", text);
}

static bool finished_loading(const char *name)
{
	struct module *mod;
	bool finished;

	mutex_lock(&module_mutex);
	mod = find_module_all(name, true);
	finished = !mod || mod->state == MODULE_STATE_LIVE;
	mutex_unlock(&module_mutex);
	return finished;
}

/*
 * One module of a name; if one is on its way, that one decides. Takes
 * module_mutex; sleeps until that is settled.
 */
static int add_unformed_module(struct module *mod)
{
	struct module *old;

	mod->state = MODULE_STATE_UNFORMED;
	for (;;) {
		mutex_lock(&module_mutex);
		old = find_module_all(mod->name, true);
		if (!old)
			list_add(&mod->list, &modules);
		else if (old->state == MODULE_STATE_LIVE)
			break;
		mutex_unlock(&module_mutex);
		if (!old)
			return 0;
		if (wait_event_interruptible(module_wq,
					     finished_loading(mod->name)))
			return -EINTR;
	}
	mutex_unlock(&module_mutex);
	return -EEXIST;
}

/* Takes module_mutex; sleeps until nobody goes along the list any more. */
static void unlink_module(struct module *mod)
{
	mutex_lock(&module_mutex);
	list_del(&mod->list);
	mutex_unlock(&module_mutex);
	synchronize_rcu();
}

static void find_module_sections(struct module *mod, struct load_info *info)
{
	mod->kp = section_objs(info, "__param", sizeof(*mod->kp), &mod->num_kp);
	mod->syms = section_objs(info, "__ksymtab", sizeof(*mod->syms),
				 &mod->num_syms);
	mod->gpl_syms = section_objs(info, "__ksymtab_gpl",
				     sizeof(*mod->gpl_syms),
				     &mod->num_gpl_syms);
	mod->extable = section_objs(info, "__ex_table", sizeof(*mod->extable),
				    &mod->num_exentries);
	mod->ftrace_callsites = section_objs(info, "__mcount_loc",
					     sizeof(*mod->ftrace_callsites),
					     &mod->num_ftrace_callsites);
	mod->jump_entries = section_objs(info, "__jump_table",
					 sizeof(*mod->jump_entries),
					 &mod->num_jump_entries);
	mod->trace_events = section_objs(info, "_ftrace_events",
					 sizeof(*mod->trace_events),
					 &mod->num_trace_events);
	mod->trace_evals = section_objs(info, "_ftrace_eval_map",
					sizeof(*mod->trace_evals),
					&mod->num_trace_evals);
	mod->trace_bprintk_fmt_start =
		section_objs(info, "__trace_printk_fmt",
			     sizeof(*mod->trace_bprintk_fmt_start),
			     &mod->num_trace_bprintk_fmt);
	if (mod->num_trace_bprintk_fmt)
		trace_printk_init_buffers();
}

/* An address at which a part has code. */
static bool in_text(const struct module_layout *layout, void *function)
{
	return (unsigned long)function - (unsigned long)layout->base <
	       layout->text_size;
}

/* The file's struct module has been relocated: it names init and exit. */
static int post_relocation(struct module *mod, const struct load_info *info)
{
	const struct module *file =
		(void *)info->sechdrs[info->index.mod].sh_addr;

	mod->init = file->init;
	mod->exit = file->exit;
	if (mod->init && !in_text(&mod->init_layout, mod->init) &&
	    !in_text(&mod->core_layout, mod->init))
		return -ENOEXEC;
	if (mod->exit && !in_text(&mod->core_layout, mod->exit))
		return -ENOEXEC;
	add_kallsyms(mod, info);
	return verify_params(mod);
}

/* No CPU may know the pages as what they were. */
static void flush_module_icache(const struct module *mod)
{
	const struct module_layout *core = &mod->core_layout;
	const struct module_layout *init = &mod->init_layout;

	flush_icache_range((unsigned long)core->base,
			   (unsigned long)core->base + core->text_size);
	flush_icache_range((unsigned long)init->base,
			   (unsigned long)init->base + init->text_size);
}

/*
 * Its code is complete; from here on others can find its symbols. Takes
 * module_mutex.
 */
static int complete_formation(struct module *mod)
{
	int err;

	mutex_lock(&module_mutex);
	err = verify_exported_symbols(mod);
	if (!err)
		err = module_enable_ro(mod);
	if (!err)
		err = module_enable_nx(mod);
	if (!err)
		err = module_enable_x(mod);
	if (!err)
		mod->state = MODULE_STATE_COMING;
	mutex_unlock(&module_mutex);
	return err;
}

static int unknown_module_param_cb(char *param, char *val, const char *modname,
				   void *arg)
{
	struct load_info *info = arg;

	if (!strcmp(param, "load_only")) {
		info->load_only = true;
		return 0;
	}
	pr_warn("%s: unknown parameter '%s' ignored\n", modname, param);
	return 0;
}

/*
 * With no lock held; sleeps, and frees the module. Its sites are the host's no
 * more, and nobody executes it.
 */
static void free_module(struct module *mod)
{
	trace_module_free(mod);
	mutex_lock(&module_mutex);
	mod->state = MODULE_STATE_UNFORMED;
	mutex_unlock(&module_mutex);
	mod_sysfs_teardown(mod);
	module_unload_free(mod);
	unlink_module(mod);
	destroy_params(mod->kp, mod->num_kp);
	kfree(mod->args);
	module_deallocate(mod);
}

/*
 * Nobody executes init code any more. With no lock held; sleeps until nobody
 * looks at it either.
 */
static void do_free_init(struct module *mod)
{
	void *init = mod->init_layout.base;

	mutex_lock(&module_mutex);
	mod->kallsyms = &mod->core_kallsyms;
	mod->init_layout = (struct module_layout){};
	mutex_unlock(&module_mutex);
	synchronize_rcu();
	module_memfree(init);
}

/*
 * With no lock held; sleeps, as the module's init may. If that fails, the
 * module is freed.
 */
static int do_init_module(struct module *mod)
{
	int err = 0;

	if (mod->init)
		err = do_one_initcall(mod->init);
	if (err < 0) {
		mod->state = MODULE_STATE_GOING;
		module_put(mod);
		kprobes_release_mod(mod);
		ftrace_release_mod(mod);
		free_module(mod);
		wake_up_all(&module_wq);
		return err;
	}
	if (err > 0)
		pr_warn("%s: '%s'->init suspiciously returned %d, it should follow 0/-E convention\n",
			__func__, mod->name, err);

	mutex_lock(&module_mutex);
	mod->state = MODULE_STATE_LIVE;
	mutex_unlock(&module_mutex);
	kprobes_free_mem(mod->init_layout.base,
			 mod->init_layout.base + mod->init_layout.size);
	ftrace_free_mem(mod, mod->init_layout.base,
			mod->init_layout.base + mod->init_layout.size);
	module_put(mod);
	do_free_init(mod);
	wake_up_all(&module_wq);
	return 0;
}

/* Before its init: everything that can be wrong about the module is. */
static int prepare_coming_module(struct module *mod, struct load_info *info,
				 char *args)
{
	int err;

	hold_module_trace_bprintk_format(mod);
	ftrace_module_enable(mod);
	err = parse_args(mod->name, args, mod->kp, mod->num_kp,
			 unknown_module_param_cb, info);
	if (!err && info->load_only)
		err = -ECANCELED;
	if (!err)
		err = mod_sysfs_setup(mod);
	if (err)
		destroy_params(mod->kp, mod->num_kp);
	return err;
}

/*
 * Puts the module together and starts it. With no lock held; sleeps. @args
 * becomes the module's, and is freed after an error; @info stays the caller's.
 */
int load_module(struct load_info *info, char *args)
{
	struct module *mod;
	int err = elf_validity_check(info);

	if (!err)
		err = setup_load_info(info);
	if (err)
		goto free_args;
	rewrite_section_headers(info);

	err = -ENOMEM;
	mod = kzalloc(sizeof(*mod), GFP_KERNEL);
	if (!mod)
		goto free_args;
	strscpy(mod->name, info->name, sizeof(mod->name));
	err = layout_and_allocate(mod, info);
	if (err)
		goto free_module;
	module_unload_init(mod);
	err = add_unformed_module(mod);
	if (err)
		goto free_module;

	find_module_sections(mod, info);
	mod->args = args;
	err = simplify_symbols(mod, info);
	if (!err)
		err = apply_relocations(mod, info);
	if (!err)
		err = post_relocation(mod, info);
	if (err)
		goto unload;
	flush_module_icache(mod);

	err = ftrace_module_init(mod);
	if (err)
		goto unload;
	err = complete_formation(mod);
	if (!err)
		err = prepare_coming_module(mod, info, args);
	if (err)
		goto release;
	trace_module_load(mod);
	return do_init_module(mod);

release:
	mod->state = MODULE_STATE_GOING;
	ftrace_release_mod(mod);
unload:
	module_unload_free(mod);
	unlink_module(mod);
	wake_up_all(&module_wq);
free_module:
	module_deallocate(mod);
free_args:
	kfree(args);
	return err;
}

/* @name is a user's. With no lock held; sleeps, as the module's exit may. */
int delete_module(const char *name)
{
	struct module *mod;
	int err = 0;

	mutex_lock(&module_mutex);
	mod = find_module(name);
	if (!mod)
		err = -ENOENT;
	else if (!list_empty(&mod->source_list))
		err = -EWOULDBLOCK;
	else if (mod->state != MODULE_STATE_LIVE)
		err = -EBUSY;
	else if (mod->init && !mod->exit)
		err = -EBUSY;	/* it cannot clean up after itself */
	else
		err = try_stop_module(mod);
	mutex_unlock(&module_mutex);
	if (err)
		return err;
	if (mod->exit)
		mod->exit();
	kprobes_release_mod(mod);
	ftrace_release_mod(mod);
	free_module(mod);
	wake_up_all(&module_wq);
	return 0;
}
