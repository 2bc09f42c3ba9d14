/* SPDX-License-Identifier: GPL-2.0-only */
/* What /proc/PID/mounts and mountinfo say: a line for each mount. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "mount.h"

/* The reader's idea of "/": what is not below it is left out. */
struct proc_mounts {
	struct path root;
	int (*show)(struct seq_file *m, struct mount *mnt);
};

struct opt_name {
	unsigned int flag;
	const char *name;
};

static void show_opts(struct seq_file *m, const struct opt_name *opt,
		      unsigned int flags)
{
	for (; opt->flag; opt++)
		if (flags & opt->flag)
			seq_puts(m, opt->name);
}

static void show_sb_opts(struct seq_file *m, const struct super_block *sb)
{
	static const struct opt_name opts[] = {
		{ SB_SYNCHRONOUS, ",sync" },
		{ SB_DIRSYNC, ",dirsync" },
		{ SB_MANDLOCK, ",mand" },
		{ SB_LAZYTIME, ",lazytime" },
		{ 0, NULL }
	};

	show_opts(m, opts, sb->s_flags);
}

static void show_mnt_opts(struct seq_file *m, const struct vfsmount *mnt)
{
	static const struct opt_name opts[] = {
		{ MNT_NOSUID, ",nosuid" },
		{ MNT_NODEV, ",nodev" },
		{ MNT_NOEXEC, ",noexec" },
		{ MNT_NOATIME, ",noatime" },
		{ MNT_NODIRATIME, ",nodiratime" },
		{ MNT_RELATIME, ",relatime" },
		{ MNT_NOSYMFOLLOW, ",nosymfollow" },
		{ 0, NULL }
	};

	show_opts(m, opts, mnt->mnt_flags);
}

/* Blanks would look like the end of a column. */
static void mangle(struct seq_file *m, const char *s)
{
	seq_escape(m, s, " \t\n\\#");
}

static int show_devname(struct seq_file *m, const struct mount *r)
{
	const struct super_operations *op = r->mnt.mnt_sb->s_op;

	if (op->show_devname)
		return op->show_devname(m, r->mnt.mnt_root);
	mangle(m, r->mnt_devname);
	return 0;
}

int show_vfsmnt(struct seq_file *m, struct mount *r)
{
	struct proc_mounts *p = m->private;
	struct vfsmount *mnt = &r->mnt;
	struct super_block *sb = mnt->mnt_sb;
	struct path path = { .mnt = mnt, .dentry = mnt->mnt_root };
	int err = show_devname(m, r);

	if (err)
		return err;
	seq_putc(m, ' ');
	err = seq_path_root(m, &path, &p->root, " \t\n\\");
	if (err)
		return err;
	seq_putc(m, ' ');
	mangle(m, sb->s_type->name);
	seq_puts(m, __mnt_is_readonly(mnt) ? " ro" : " rw");
	show_sb_opts(m, sb);
	show_mnt_opts(m, mnt);
	if (sb->s_op->show_options)
		err = sb->s_op->show_options(m, path.dentry);
	seq_puts(m, " 0 0\n");
	return err;
}

/* Its number and its parent's, device, what of it is mounted, and where. */
int show_mountinfo(struct seq_file *m, struct mount *r)
{
	struct proc_mounts *p = m->private;
	struct vfsmount *mnt = &r->mnt;
	struct super_block *sb = mnt->mnt_sb;
	struct path path = { .mnt = mnt, .dentry = mnt->mnt_root };
	int err;

	seq_printf(m, "%i %i %u:%u ", r->mnt_id, r->mnt_parent->mnt_id,
		   MAJOR(sb->s_dev), MINOR(sb->s_dev));
	err = seq_dentry(m, mnt->mnt_root, " \t\n\\");
	if (err)
		return err;
	seq_putc(m, ' ');
	err = seq_path_root(m, &path, &p->root, " \t\n\\");
	if (err)
		return err;
	seq_puts(m, mnt->mnt_flags & MNT_READONLY ? " ro" : " rw");
	show_mnt_opts(m, mnt);
	seq_puts(m, " - ");
	mangle(m, sb->s_type->name);
	seq_putc(m, ' ');
	err = show_devname(m, r);
	if (err)
		return err;
	seq_puts(m, sb_rdonly(sb) ? " ro" : " rw");
	show_sb_opts(m, sb);
	if (sb->s_op->show_options)
		err = sb->s_op->show_options(m, mnt->mnt_root);
	seq_putc(m, '\n');
	return err;
}

static void *m_start(struct seq_file *m, loff_t *pos)
{
	down_read(&namespace_sem);
	return seq_list_start(&mount_list, *pos);
}

static void *m_next(struct seq_file *m, void *v, loff_t *pos)
{
	return seq_list_next(v, &mount_list, pos);
}

static void m_stop(struct seq_file *m, void *v)
{
	up_read(&namespace_sem);
}

static int m_show(struct seq_file *m, void *v)
{
	struct proc_mounts *p = m->private;

	return p->show(m, list_entry(v, struct mount, mnt_list));
}

static const struct seq_operations mounts_op = {
	.start	= m_start,
	.next	= m_next,
	.stop	= m_stop,
	.show	= m_show,
};

/* From @root on, whose reference it takes over. */
int mounts_open_common(struct file *file, struct path root,
		       int (*show)(struct seq_file *m, struct mount *mnt))
{
	struct proc_mounts *p;

	p = __seq_open_private(file, &mounts_op, sizeof(*p));
	if (!p) {
		path_put(&root);
		return -ENOMEM;
	}
	p->root = root;
	p->show = show;
	return 0;
}

int mounts_release(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;
	struct proc_mounts *p = m->private;

	path_put(&p->root);
	return seq_release_private(inode, file);
}
