/* SPDX-License-Identifier: GPL-2.0-only */
/* The kinds of file systems there are, by name. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>

static struct file_system_type *file_systems;
static DEFINE_SPINLOCK(file_systems_lock);

/* Where the kind of that name is linked, or would be. */
static struct file_system_type **find_filesystem(const char *name)
{
	struct file_system_type **p;

	for (p = &file_systems; *p; p = &(*p)->next)
		if (!strcmp((*p)->name, name))
			break;
	return p;
}

int register_filesystem(struct file_system_type *fs)
{
	struct file_system_type **p;
	int err = 0;

	spin_lock(&file_systems_lock);
	p = find_filesystem(fs->name);
	if (*p)
		err = -EBUSY;
	else
		*p = fs;
	spin_unlock(&file_systems_lock);
	return err;
}

struct file_system_type *get_fs_type(const char *name)
{
	struct file_system_type *fs;

	spin_lock(&file_systems_lock);
	fs = *find_filesystem(name);
	spin_unlock(&file_systems_lock);
	return fs;
}

static int filesystems_proc_show(struct seq_file *m, void *v)
{
	struct file_system_type *fs;

	spin_lock(&file_systems_lock);
	for (fs = file_systems; fs; fs = fs->next)
		seq_printf(m, "%s\t%s\n",
			   fs->fs_flags & FS_REQUIRES_DEV ? "" : "nodev",
			   fs->name);
	spin_unlock(&file_systems_lock);
	return 0;
}

static int __init proc_filesystems_init(void)
{
	proc_create_single("filesystems", 0, NULL, filesystems_proc_show);
	return 0;
}
fs_initcall(proc_filesystems_init);
