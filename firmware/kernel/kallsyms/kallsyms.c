/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table that tools/kallsyms.py writes: addresses in order, and for each a
 * character for its type and its name. /proc/kallsyms shows it.
 */
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <asm/sections.h>

extern const u64 kallsyms_num;
extern const u64 kallsyms_addresses[];
extern const char kallsyms_names[];

/* Where a reader is: records are mostly asked for one after the other. */
struct kallsym_iter {
	loff_t		pos;
	const char	*text;		/* of the kernel's own symbol at pos */
	unsigned long	value;
	char		type;
	char		name[KSYM_NAME_LEN];
	char		module_name[MODULE_NAME_LEN];
};

static bool own_symbol(unsigned long addr, struct kallsyms_place *place)
{
	u64 low = 0, high = kallsyms_num, next;
	const char *text = kallsyms_names;

	if (addr < (unsigned long)_stext || addr >= (unsigned long)_end)
		return false;
	while (high - low > 1) {
		u64 mid = low + (high - low) / 2;

		if (kallsyms_addresses[mid] <= addr)
			low = mid;
		else
			high = mid;
	}
	next = high;
	/* The first of those with one address. */
	while (low && kallsyms_addresses[low - 1] == kallsyms_addresses[low])
		low--;
	place->offset = addr - kallsyms_addresses[low];
	place->size = (next < kallsyms_num ? kallsyms_addresses[next] :
		       (unsigned long)_end) - kallsyms_addresses[low];
	while (low--)
		text += strlen(text) + 1;
	strscpy(place->name, text + 1, sizeof(place->name));
	place->module_name[0] = '\0';
	return true;
}

bool kallsyms_lookup(unsigned long addr, struct kallsyms_place *place)
{
	return own_symbol(addr, place) || module_address_lookup(addr, place);
}

unsigned long kallsyms_lookup_name(const char *name)
{
	const char *text = kallsyms_names;

	for (u64 i = 0; i < kallsyms_num; i++) {
		if (!strcmp(text + 1, name))
			return kallsyms_addresses[i];
		text += strlen(text) + 1;
	}
	return module_kallsyms_lookup_name(name);
}

/* Moves to the kernel's own symbol at @pos, which there is. */
static void get_ksymbol_core(struct kallsym_iter *iter, loff_t pos)
{
	if (!iter->text || pos < iter->pos) {
		iter->text = kallsyms_names;
		iter->pos = 0;
	}
	for (; iter->pos < pos; iter->pos++)
		iter->text += strlen(iter->text) + 1;
	iter->type = iter->text[0];
	iter->value = kallsyms_addresses[pos];
	iter->module_name[0] = '\0';
	strscpy(iter->name, iter->text + 1, sizeof(iter->name));
}

static bool update_iter(struct kallsym_iter *iter, loff_t pos)
{
	if (pos < kallsyms_num) {
		get_ksymbol_core(iter, pos);
		return true;
	}
	return !module_get_kallsym(pos - kallsyms_num, &iter->value,
				   &iter->type, iter->name, iter->module_name);
}

static void *s_start(struct seq_file *m, loff_t *pos)
{
	return update_iter(m->private, *pos) ? m->private : NULL;
}

static void *s_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return update_iter(m->private, *pos) ? m->private : NULL;
}

static void s_stop(struct seq_file *m, void *v)
{
}

static int s_show(struct seq_file *m, void *v)
{
	const struct kallsym_iter *iter = v;

	seq_printf(m, "%016lx %c %s", iter->value, iter->type, iter->name);
	if (iter->module_name[0])
		seq_printf(m, "\t[%s]", iter->module_name);
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations kallsyms_op = {
	.start	= s_start,
	.next	= s_next,
	.stop	= s_stop,
	.show	= s_show,
};

static int kallsyms_open(struct inode *inode, struct file *file)
{
	return seq_open_private(file, &kallsyms_op,
				sizeof(struct kallsym_iter));
}

static const struct proc_ops kallsyms_proc_ops = {
	.proc_open	= kallsyms_open,
	.proc_read_iter	= seq_read_iter,
	.proc_lseek	= seq_lseek,
	.proc_release	= seq_release_private,
};

static int __init kallsyms_init(void)
{
	proc_create("kallsyms", 0444, NULL, &kallsyms_proc_ops);
	return 0;
}
device_initcall(kallsyms_init);
