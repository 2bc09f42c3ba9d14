/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of /proc share only among themselves. */
#ifndef _FS_PROC_INTERNAL_H
#define _FS_PROC_INTERNAL_H

#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/proc_fs.h>
#include <linux/wait.h>

struct ctl_table;
struct ctl_table_header;
struct pid;

#define PROC_ROOT_INO	1

/*
 * An entry. in_use counts calls into what made it; once it is removed that is
 * negative, and no more begin. proc_subdir_lock protects the tree.
 */
struct proc_dir_entry {
	atomic_t		in_use;
	refcount_t		refcnt;
	struct list_head	subdir;		/* in order of length and name */
	struct list_head	subdir_node;
	struct proc_dir_entry	*parent;
	const struct inode_operations *proc_iops;
	const struct file_operations *proc_dir_ops;	/* directories */
	const struct proc_ops	*proc_ops;		/* files */
	const struct seq_operations *seq_ops;
	int			(*single_show)(struct seq_file *m, void *v);
	void			*data;
	char			*link;
	loff_t			size;
	unsigned int		low_ino;
	unsigned int		nlink;
	umode_t			mode;
	unsigned int		namelen;
	char			name[];
};

extern struct proc_dir_entry proc_root;

union proc_op {
	const char *(*proc_get_text)(void);
	int (*proc_get_link)(struct dentry *dentry, struct path *path);
	int (*proc_show)(struct seq_file *m, struct pid *pid,
			 struct task_struct *task);
};

struct proc_inode {
	struct pid		*pid;
	unsigned int		fd;
	union proc_op		op;
	struct proc_dir_entry	*pde;
	struct ctl_table_header	*sysctl;
	const struct ctl_table	*sysctl_entry;
	struct inode		vfs_inode;
};

static inline struct proc_inode *PROC_I(const struct inode *inode)
{
	return container_of((struct inode *)inode, struct proc_inode,
			    vfs_inode);
}

static inline struct proc_dir_entry *PDE(const struct inode *inode)
{
	return PROC_I(inode)->pde;
}

/* generic.c */
struct dentry *proc_lookup(struct inode *dir, struct dentry *dentry,
			   unsigned int flags);
int proc_readdir(struct file *file, struct dir_context *ctx);
struct proc_dir_entry *pde_get(struct proc_dir_entry *de);
void pde_put(struct proc_dir_entry *de);
bool pde_is_gone(const struct proc_dir_entry *de);
bool use_pde(struct proc_dir_entry *de);
void unuse_pde(struct proc_dir_entry *de);
extern const struct file_operations proc_dir_operations;
extern const struct inode_operations proc_dir_inode_operations;

/* inode.c */
extern const struct super_operations proc_sops;
extern const struct inode_operations proc_link_inode_operations;
struct inode *proc_get_inode(struct super_block *sb, struct proc_dir_entry *de);
int proc_setattr(struct dentry *dentry, struct iattr *attr);
void proc_init_kmemcache(void);

/* generic.c: the entries of the root that are not processes */
struct dentry *proc_lookup_de(struct inode *dir, struct dentry *dentry,
			      struct proc_dir_entry *de);
int proc_readdir_de(struct file *file, struct dir_context *ctx,
		    struct proc_dir_entry *de);
void proc_register_dir(const char *name, const struct inode_operations *iops,
		       const struct file_operations *fops);
void proc_register_link(const char *name, const struct inode_operations *iops);

/* proc_sysctl.c, self.c */
void proc_sys_init(void);
void proc_self_init(void);

/* base.c: processes */
struct dentry *proc_pid_lookup(struct dentry *dentry, unsigned int flags);
int proc_pid_readdir(struct file *file, struct dir_context *ctx);

/* Positions in /proc from here on are processes. */
#define FIRST_PROCESS_ENTRY	256

#endif
