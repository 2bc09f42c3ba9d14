/* SPDX-License-Identifier: GPL-2.0-only */
/* Entries of /proc, for the parts of the kernel that show something there. */
#ifndef _LINUX_PROC_FS_H
#define _LINUX_PROC_FS_H

#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/types.h>

struct proc_dir_entry;
struct seq_file;
struct seq_operations;

/* Its parts are those of file_operations. */
struct proc_ops {
	int (*proc_open)(struct inode *inode, struct file *file);
	ssize_t (*proc_read)(struct file *file, char __user *buf, size_t size,
			     loff_t *pos);
	ssize_t (*proc_read_iter)(struct kiocb *iocb, struct iov_iter *to);
	ssize_t (*proc_write)(struct file *file, const char __user *buf,
			      size_t size, loff_t *pos);
	loff_t (*proc_lseek)(struct file *file, loff_t offset, int whence);
	int (*proc_release)(struct inode *inode, struct file *file);
	__poll_t (*proc_poll)(struct file *file,
			      struct poll_table_struct *wait);
};

/* A mode without type is a file's; 0: what is usual. @parent NULL: /proc. */
struct proc_dir_entry *proc_mkdir(const char *name,
				  struct proc_dir_entry *parent);
struct proc_dir_entry *proc_mkdir_mode(const char *name, umode_t mode,
				       struct proc_dir_entry *parent);
struct proc_dir_entry *proc_symlink(const char *name,
				    struct proc_dir_entry *parent,
				    const char *target);
struct proc_dir_entry *proc_create_data(const char *name, umode_t mode,
					struct proc_dir_entry *parent,
					const struct proc_ops *ops, void *data);
struct proc_dir_entry *proc_create(const char *name, umode_t mode,
				   struct proc_dir_entry *parent,
				   const struct proc_ops *ops);
struct proc_dir_entry *
proc_create_seq_data(const char *name, umode_t mode,
		     struct proc_dir_entry *parent,
		     const struct seq_operations *ops, void *data);
#define proc_create_seq(name, mode, parent, ops) \
	proc_create_seq_data(name, mode, parent, ops, NULL)
struct proc_dir_entry *
proc_create_single_data(const char *name, umode_t mode,
			struct proc_dir_entry *parent,
			int (*show)(struct seq_file *m, void *v), void *data);
#define proc_create_single(name, mode, parent, show) \
	proc_create_single_data(name, mode, parent, show, NULL)

void proc_remove(struct proc_dir_entry *de);
/* What the entry was made with. */
void *pde_data(const struct inode *inode);

#endif
