/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that are nothing but what they do: all share one inode. */
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/magic.h>
#include <linux/mount.h>

static struct vfsmount *anon_inode_mnt;
static struct inode *anon_inode_inode;

/* With @priv as its private_data. */
struct file *anon_inode_getfile(const char *name,
				const struct file_operations *fops, void *priv,
				int flags)
{
	struct file *file;

	ihold(anon_inode_inode);
	file = alloc_file_pseudo(anon_inode_inode, anon_inode_mnt, name,
				 flags & (O_ACCMODE | O_NONBLOCK), fops);
	if (IS_ERR(file))
		iput(anon_inode_inode);
	else
		file->private_data = priv;
	return file;
}

/* ... and a descriptor of it. */
int anon_inode_getfd(const char *name, const struct file_operations *fops,
		     void *priv, int flags)
{
	int fd = get_unused_fd_flags(flags);
	struct file *file;

	if (fd < 0)
		return fd;
	file = anon_inode_getfile(name, fops, priv, flags);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		return PTR_ERR(file);
	}
	fd_install(fd, file);
	return fd;
}

static char *anon_inodefs_dname(struct dentry *dentry, char *buffer, int buflen)
{
	return dynamic_dname(dentry, buffer, buflen, "anon_inode:%s",
			     dentry->d_name.name);
}

static const struct dentry_operations anon_inodefs_dentry_operations = {
	.d_dname	= anon_inodefs_dname,
};

static struct dentry *anon_inodefs_mount(struct file_system_type *type,
					 int flags, const char *dev_name,
					 void *data)
{
	return mount_pseudo(type, "anon_inode:", NULL,
			    &anon_inodefs_dentry_operations,
			    ANON_INODE_FS_MAGIC);
}

static struct file_system_type anon_inode_fs_type = {
	.name		= "anon_inodefs",
	.mount		= anon_inodefs_mount,
	.kill_sb	= kill_anon_super,
};

static int __init anon_inode_init(void)
{
	anon_inode_mnt = kern_mount(&anon_inode_fs_type);
	if (IS_ERR(anon_inode_mnt))
		return PTR_ERR(anon_inode_mnt);
	anon_inode_inode = new_inode_pseudo(anon_inode_mnt->mnt_sb);
	if (!anon_inode_inode)
		return -ENOMEM;
	anon_inode_inode->i_mode = 0600;
	return 0;
}
fs_initcall(anon_inode_init);
