/* SPDX-License-Identifier: GPL-2.0-only */
/* Mounts: file systems, or parts of them, in the tree of names. */
#ifndef _LINUX_MOUNT_H
#define _LINUX_MOUNT_H

#include <linux/compiler.h>
#include <linux/path.h>
#include <linux/types.h>
#include <uapi/linux/mount.h>

struct dentry;
struct file;
struct file_system_type;
struct inode;
struct super_block;

/* vfsmount->mnt_flags */
#define MNT_NOSUID	0x01
#define MNT_NODEV	0x02
#define MNT_NOEXEC	0x04
#define MNT_NOATIME	0x08
#define MNT_NODIRATIME	0x10
#define MNT_RELATIME	0x20
#define MNT_READONLY	0x40
#define MNT_NOSYMFOLLOW	0x80
#define MNT_USER_SETTABLE_MASK	0xff
#define MNT_SHRINKABLE	0x100
#define MNT_INTERNAL	0x4000		/* the kernel's own, in no tree */

/* The part of a mount that all may see; the rest is in fs/mount.h. */
struct vfsmount {
	struct dentry		*mnt_root;	/* where it shows its tree */
	struct super_block	*mnt_sb;
	int			mnt_flags;
};

struct vfsmount *mntget(struct vfsmount *mnt);
void mntput(struct vfsmount *mnt);

/* Between these two the mount stays writable, or -EROFS. */
int mnt_want_write(struct vfsmount *mnt);
void mnt_drop_write(struct vfsmount *mnt);
int __mnt_want_write(struct vfsmount *mnt);
void __mnt_drop_write(struct vfsmount *mnt);
bool __mnt_is_readonly(const struct vfsmount *mnt);

struct vfsmount *vfs_kern_mount(struct file_system_type *type, int flags,
				const char *name, void *data);
struct vfsmount *vfs_submount(const struct dentry *mountpoint,
			      struct file_system_type *type, const char *name,
			      void *data);
struct vfsmount *kern_mount(struct file_system_type *type);

bool follow_up(struct path *path);
/* What is mounted there, referenced, or NULL. */
struct vfsmount *lookup_mnt(const struct path *path);
int path_mount(const char *dev_name, struct path *path, const char *type_page,
	       unsigned long flags, void *data_page);
long do_mount(const char *dev_name, const char __user *dir_name,
	      const char *type_page, unsigned long flags, void *data_page);
int path_umount(struct path *path, int flags);

/* mount/proc_namespace.c: files that list the mounts below @root, a seq_file */
struct mount;
struct seq_file;
int mounts_open_common(struct file *file, struct path root,
		       int (*show)(struct seq_file *m, struct mount *mnt));
int show_vfsmnt(struct seq_file *m, struct mount *r);
int show_mountinfo(struct seq_file *m, struct mount *r);
int mounts_release(struct inode *inode, struct file *file);

#endif
