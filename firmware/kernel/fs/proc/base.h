/* SPDX-License-Identifier: GPL-2.0-only */
/* The files that /proc/PID is made of. */
#ifndef _FS_PROC_BASE_H
#define _FS_PROC_BASE_H

#include <linux/fs.h>

struct mm_struct;
struct pid;
struct seq_file;
struct task_struct;

/* base.c */
struct task_struct *get_proc_task(const struct inode *inode);
struct inode *proc_pid_make_inode(struct super_block *sb,
				  struct task_struct *task, umode_t mode,
				  unsigned long ino);
unsigned int name_to_int(const struct qstr *name);
extern const struct inode_operations proc_pid_link_inode_operations;
extern const struct inode_operations proc_def_inode_operations;
extern const struct dentry_operations pid_dentry_operations;

/* array.c: numbers */
int proc_pid_status(struct seq_file *m, struct pid *pid,
		    struct task_struct *task);
int proc_tgid_stat(struct seq_file *m, struct pid *pid,
		   struct task_struct *task);
int proc_tid_stat(struct seq_file *m, struct pid *pid,
		  struct task_struct *task);
int proc_pid_statm(struct seq_file *m, struct pid *pid,
		   struct task_struct *task);
int proc_pid_limits(struct seq_file *m, struct pid *pid,
		    struct task_struct *task);

/* task_files.c: what it was called with, its name, where it is */
extern const struct file_operations proc_environ_operations;
extern const struct file_operations proc_pid_cmdline_ops;
extern const struct file_operations proc_pid_set_comm_operations;
extern const struct file_operations proc_mounts_operations;
extern const struct file_operations proc_mountinfo_operations;
int proc_cwd_link(struct dentry *dentry, struct path *path);
int proc_root_link(struct dentry *dentry, struct path *path);
int proc_exe_link(struct dentry *dentry, struct path *path);
int readlink_path(const struct path *path, char __user *buf, int size);

/* task_kernel.c: where in the kernel it waits, and what the kernel thinks of it */
int proc_pid_wchan(struct seq_file *m, struct pid *pid,
		   struct task_struct *task);
int proc_pid_stack(struct seq_file *m, struct pid *pid,
		   struct task_struct *task);
int proc_oom_score(struct seq_file *m, struct pid *pid,
		   struct task_struct *task);
extern const struct file_operations proc_oom_score_adj_operations;

/* task_mmu.c: its address space */
struct proc_mm_usage {
	unsigned long	rss;	/* pages present: of files, and of its own */
	unsigned long	rss_file;
	unsigned long	data;	/* pages of areas: writable and private, ... */
	unsigned long	stack;
	unsigned long	text;
};

extern const struct file_operations proc_pid_maps_operations;
void proc_mm_usage(struct mm_struct *mm, struct proc_mm_usage *usage);
struct mm_struct *get_task_mm(struct task_struct *task);

/* fd.c */
extern const struct inode_operations proc_fd_inode_operations;
extern const struct file_operations proc_fd_operations;
extern const struct inode_operations proc_fdinfo_inode_operations;
extern const struct file_operations proc_fdinfo_operations;

#endif
