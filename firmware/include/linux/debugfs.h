/* SPDX-License-Identifier: GPL-2.0-only */
/* Files for those who look into the kernel; nothing may depend on them. */
#ifndef _LINUX_DEBUGFS_H
#define _LINUX_DEBUGFS_H

#include <linux/fs.h>
#include <linux/types.h>

struct path;
struct vfsmount;

typedef struct vfsmount *(*debugfs_automount_t)(struct dentry *dentry,
						void *data);

/*
 * @parent NULL: the root. They return the new dentry or an errno, which need
 * not be looked at: what is made in it then fails, too.
 */
struct dentry *debugfs_create_dir(const char *name, struct dentry *parent);
struct dentry *debugfs_create_file(const char *name, umode_t mode,
				   struct dentry *parent, void *data,
				   const struct file_operations *fops);
struct dentry *debugfs_create_symlink(const char *name, struct dentry *parent,
				      const char *target);
/* A directory on which @f's result is mounted by whoever goes there. */
struct dentry *debugfs_create_automount(const char *name,
					struct dentry *parent,
					debugfs_automount_t f, void *data);
struct dentry *debugfs_lookup(const char *name, struct dentry *parent);
/* With all that is in it. */
void debugfs_remove(struct dentry *dentry);
#define debugfs_remove_recursive debugfs_remove

/* Files that show a variable and, if the mode says so, set it. */
void debugfs_create_u8(const char *name, umode_t mode, struct dentry *parent,
		       u8 *value);
void debugfs_create_u16(const char *name, umode_t mode, struct dentry *parent,
			u16 *value);
void debugfs_create_u32(const char *name, umode_t mode, struct dentry *parent,
			u32 *value);
void debugfs_create_u64(const char *name, umode_t mode, struct dentry *parent,
			u64 *value);
void debugfs_create_x32(const char *name, umode_t mode, struct dentry *parent,
			u32 *value);
void debugfs_create_x64(const char *name, umode_t mode, struct dentry *parent,
			u64 *value);
void debugfs_create_ulong(const char *name, umode_t mode,
			  struct dentry *parent, unsigned long *value);
void debugfs_create_atomic_t(const char *name, umode_t mode,
			     struct dentry *parent, atomic_t *value);
void debugfs_create_bool(const char *name, umode_t mode, struct dentry *parent,
			 bool *value);

#endif
