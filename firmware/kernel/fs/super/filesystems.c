/* SPDX-License-Identifier: GPL-2.0-only */
/* The kinds of file systems there are, by name. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/kmod.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/string.h>

static struct file_system_type *file_systems;
static DEFINE_SPINLOCK(file_systems_lock);

/* Where the kind of that name is linked, or would be. */
static struct file_system_type **find_filesystem(const char *name,
						 unsigned int len)
{
	struct file_system_type **p;

	for (p = &file_systems; *p; p = &(*p)->next)
		if (!strncmp((*p)->name, name, len) && !(*p)->name[len])
			break;
	return p;
}

void get_filesystem(struct file_system_type *fs)
{
	__module_get(fs->owner);
}

void put_filesystem(struct file_system_type *fs)
{
	module_put(fs->owner);
}

int register_filesystem(struct file_system_type *fs)
{
	struct file_system_type **p;
	int err = 0;

	spin_lock(&file_systems_lock);
	p = find_filesystem(fs->name, strlen(fs->name));
	if (*p)
		err = -EBUSY;
	else
		*p = fs;
	spin_unlock(&file_systems_lock);
	return err;
}

/* Called when nothing of the kind is mounted: before its module goes. */
int unregister_filesystem(struct file_system_type *fs)
{
	struct file_system_type **p;
	int err = -EINVAL;

	spin_lock(&file_systems_lock);
	p = find_filesystem(fs->name, strlen(fs->name));
	if (*p == fs) {
		*p = fs->next;
		fs->next = NULL;
		err = 0;
	}
	spin_unlock(&file_systems_lock);
	synchronize_rcu();
	return err;
}

static struct file_system_type *__get_fs_type(const char *name,
					      unsigned int len)
{
	struct file_system_type *fs;

	spin_lock(&file_systems_lock);
	fs = *find_filesystem(name, len);
	if (fs && !try_module_get(fs->owner))
		fs = NULL;
	spin_unlock(&file_systems_lock);
	return fs;
}

struct file_system_type *get_fs_type(const char *name)
{
	const char *dot = strchr(name, '.');
	unsigned int len = dot ? dot - name : strlen(name);
	struct file_system_type *fs = __get_fs_type(name, len);

	if (!fs && !request_module("fs-%.*s", (int)len, name)) {
		fs = __get_fs_type(name, len);
		if (!fs)
			pr_warn_once("request_module fs-%.*s succeeded, but still no fs?\n",
				     (int)len, name);
	}
	/* None of ours has subtypes. */
	if (dot && fs) {
		put_filesystem(fs);
		fs = NULL;
	}
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
