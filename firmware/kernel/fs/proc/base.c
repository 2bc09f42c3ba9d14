/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/PID: a directory for each process, and below task/ for each thread. */
#include <linux/dirent.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/namei.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "base.h"
#include "internal.h"

/* Inodes' numbers follow from the task's and the file's place in its list. */
#define PROC_PID_INO(pid, n)	(((unsigned long)(pid) << 16) + (n) + 1)

unsigned int name_to_int(const struct qstr *name)
{
	unsigned int n = 0;

	if (!name->len || (name->len > 1 && name->name[0] == '0'))
		return ~0U;
	for (unsigned int i = 0; i < name->len; i++) {
		unsigned int digit = name->name[i] - '0';

		if (digit > 9 || n >= (~0U - 9) / 10)
			return ~0U;
		n = n * 10 + digit;
	}
	return n;
}

/* The task, with a reference; NULL once it has been waited for. */
struct task_struct *get_proc_task(const struct inode *inode)
{
	struct task_struct *task;

	spin_lock_irq(&tasklist_lock);
	task = pid_task(PROC_I(inode)->pid, PIDTYPE_PID);
	if (task)
		get_task_struct(task);
	spin_unlock_irq(&tasklist_lock);
	return task;
}

static struct task_struct *find_get_task(pid_t nr)
{
	struct task_struct *task;

	spin_lock_irq(&tasklist_lock);
	task = find_task_by_vpid(nr);
	if (task)
		get_task_struct(task);
	spin_unlock_irq(&tasklist_lock);
	return task;
}

/* What does not belong to a task that lives is looked up anew. */
static int pid_revalidate(struct dentry *dentry, unsigned int flags)
{
	struct task_struct *task = get_proc_task(d_inode(dentry));

	if (!task)
		return 0;
	put_task_struct(task);
	return 1;
}

/* Not kept: it would keep the number's structure, for a task long gone. */
static int pid_delete_dentry(const struct dentry *dentry)
{
	return 1;
}

const struct dentry_operations pid_dentry_operations = {
	.d_revalidate	= pid_revalidate,
	.d_delete	= pid_delete_dentry,
};

struct inode *proc_pid_make_inode(struct super_block *sb,
				  struct task_struct *task, umode_t mode,
				  unsigned long ino)
{
	struct inode *inode = new_inode(sb);
	struct pid *pid = NULL;

	if (!inode)
		return NULL;
	spin_lock_irq(&tasklist_lock);
	if (task->exit_state != EXIT_DEAD)
		pid = get_pid(task_pid(task));
	spin_unlock_irq(&tasklist_lock);
	if (!pid) {
		iput(inode);
		return NULL;
	}
	PROC_I(inode)->pid = pid;
	inode->i_mode = mode;
	inode->i_ino = ino;
	inode->i_op = &proc_def_inode_operations;
	return inode;
}

const struct inode_operations proc_def_inode_operations = {
	.setattr	= proc_setattr,
};

/* Files of one record about a task. */
static int proc_single_show(struct seq_file *m, void *v)
{
	struct inode *inode = m->private;
	struct task_struct *task = get_proc_task(inode);
	int ret;

	if (!task)
		return -ESRCH;
	ret = PROC_I(inode)->op.proc_show(m, PROC_I(inode)->pid, task);
	put_task_struct(task);
	return ret;
}

static int proc_single_open(struct inode *inode, struct file *file)
{
	return single_open(file, proc_single_show, inode);
}

static const struct file_operations proc_single_file_operations = {
	.open		= proc_single_open,
	.read_iter	= seq_read_iter,
	.llseek		= seq_lseek,
	.release	= single_release,
};

/* Links to a place: cwd, root, exe and descriptors' files. */
static const char *proc_pid_get_link(struct dentry *dentry, struct inode *inode,
				     struct delayed_call *done)
{
	struct path path;
	int err = PROC_I(inode)->op.proc_get_link(dentry, &path);

	if (!err)
		err = nd_jump_link(&path);
	return ERR_PTR(err);
}

static int proc_pid_readlink(struct dentry *dentry, char __user *buf, int size)
{
	struct path path;
	int err = PROC_I(d_inode(dentry))->op.proc_get_link(dentry, &path);

	if (err)
		return err;
	err = readlink_path(&path, buf, size);
	path_put(&path);
	return err;
}

const struct inode_operations proc_pid_link_inode_operations = {
	.readlink	= proc_pid_readlink,
	.get_link	= proc_pid_get_link,
	.setattr	= proc_setattr,
};

/* A directory's files: found by name or listed, from a table. */
struct pid_entry {
	const char	*name;
	umode_t		mode;
	const struct inode_operations *iop;
	const struct file_operations *fop;
	union proc_op	op;
};

#define DIR(name, iops, fops) \
	{ name, S_IFDIR | 0555, &(iops), &(fops), {} }
#define PRIVATE_DIR(name, iops, fops) \
	{ name, S_IFDIR | 0500, &(iops), &(fops), {} }
#define LNK(name, get)							\
	{ name, S_IFLNK | 0777, &proc_pid_link_inode_operations, NULL,	\
	  { .proc_get_link = (get) } }
#define REG(name, mode, fops) \
	{ name, S_IFREG | (mode), NULL, &(fops), {} }
#define ONE(name, mode, show)						\
	{ name, S_IFREG | (mode), NULL, &proc_single_file_operations,	\
	  { .proc_show = (show) } }

static struct dentry *proc_pident_instantiate(struct dentry *dentry,
					      struct task_struct *task,
					      const struct pid_entry *p,
					      unsigned int n)
{
	struct inode *inode = proc_pid_make_inode(dentry->d_sb, task, p->mode,
						  PROC_PID_INO(task->pid, n));

	if (!inode)
		return ERR_PTR(-ENOENT);
	if (S_ISDIR(p->mode))
		set_nlink(inode, 2);
	if (p->iop)
		inode->i_op = p->iop;
	if (p->fop)
		inode->i_fop = p->fop;
	PROC_I(inode)->op = p->op;
	d_set_d_op(dentry, &pid_dentry_operations);
	return d_splice_alias(inode, dentry);
}

static struct dentry *proc_pident_lookup(struct inode *dir,
					 struct dentry *dentry,
					 const struct pid_entry *table,
					 unsigned int nr)
{
	struct task_struct *task = get_proc_task(dir);
	struct dentry *ret = ERR_PTR(-ENOENT);

	if (!task)
		return ret;
	for (unsigned int i = 0; i < nr; i++) {
		if (!strcmp(table[i].name, dentry->d_name.name)) {
			ret = proc_pident_instantiate(dentry, task, &table[i],
						      i + 1);
			break;
		}
	}
	put_task_struct(task);
	return ret;
}

static int proc_pident_readdir(struct file *file, struct dir_context *ctx,
			       const struct pid_entry *table, unsigned int nr)
{
	struct task_struct *task = get_proc_task(file_inode(file));

	if (!task)
		return -ENOENT;
	if (dir_emit_dots(file, ctx)) {
		for (; ctx->pos < nr + 2; ctx->pos++) {
			unsigned int i = ctx->pos - 2;

			if (!dir_emit(ctx, table[i].name,
				      strlen(table[i].name),
				      PROC_PID_INO(task->pid, i + 1),
				      fs_umode_to_dtype(table[i].mode)))
				break;
		}
	}
	put_task_struct(task);
	return 0;
}

/* What both have; they count time differently. */
#define THREAD_STUFF(stat)						\
	PRIVATE_DIR("fd", proc_fd_inode_operations, proc_fd_operations),	\
	DIR("fdinfo", proc_fdinfo_inode_operations,			\
	    proc_fdinfo_operations),					\
	REG("environ", 0400, proc_environ_operations),			\
	ONE("status", 0444, proc_pid_status),				\
	ONE("limits", 0444, proc_pid_limits),				\
	REG("comm", 0644, proc_pid_set_comm_operations),		\
	REG("cmdline", 0444, proc_pid_cmdline_ops),			\
	ONE("stat", 0444, stat),					\
	ONE("statm", 0444, proc_pid_statm),				\
	REG("maps", 0444, proc_pid_maps_operations),			\
	LNK("cwd", proc_cwd_link),					\
	LNK("root", proc_root_link),					\
	LNK("exe", proc_exe_link),					\
	REG("mounts", 0444, proc_mounts_operations),			\
	REG("mountinfo", 0444, proc_mountinfo_operations),		\
	ONE("wchan", 0444, proc_pid_wchan),				\
	ONE("stack", 0400, proc_pid_stack),				\
	ONE("oom_score", 0444, proc_oom_score),				\
	REG("oom_score_adj", 0644, proc_oom_score_adj_operations)

/* What there is of a thread. */
static const struct pid_entry tid_base_stuff[] = {
	THREAD_STUFF(proc_tid_stat),
};

static struct dentry *proc_tid_base_lookup(struct inode *dir,
					   struct dentry *dentry,
					   unsigned int flags)
{
	return proc_pident_lookup(dir, dentry, tid_base_stuff,
				  ARRAY_SIZE(tid_base_stuff));
}

static int proc_tid_base_readdir(struct file *file, struct dir_context *ctx)
{
	return proc_pident_readdir(file, ctx, tid_base_stuff,
				   ARRAY_SIZE(tid_base_stuff));
}

static const struct file_operations proc_tid_base_operations = {
	.read		= generic_read_dir,
	.iterate_shared	= proc_tid_base_readdir,
	.llseek		= generic_file_llseek,
};

static const struct inode_operations proc_tid_base_inode_operations = {
	.lookup		= proc_tid_base_lookup,
	.setattr	= proc_setattr,
};

/* A task's directory, of either kind. */
static struct dentry *instantiate_dir(struct dentry *dentry,
				      struct task_struct *task,
				      const struct inode_operations *iop,
				      const struct file_operations *fop)
{
	struct inode *inode = proc_pid_make_inode(dentry->d_sb, task,
						  S_IFDIR | S_IRUGO | S_IXUGO,
						  PROC_PID_INO(task->pid, 0));

	if (!inode)
		return ERR_PTR(-ENOENT);
	inode->i_op = iop;
	inode->i_fop = fop;
	set_nlink(inode, 3);
	d_set_d_op(dentry, &pid_dentry_operations);
	return d_splice_alias(inode, dentry);
}

static struct dentry *proc_task_lookup(struct inode *dir, struct dentry *dentry,
				       unsigned int flags)
{
	struct task_struct *leader = get_proc_task(dir), *task;
	struct dentry *ret = ERR_PTR(-ENOENT);
	unsigned int tid = name_to_int(&dentry->d_name);

	if (!leader)
		return ret;
	task = tid == ~0U ? NULL : find_get_task(tid);
	if (task && task->tgid == leader->tgid)
		ret = instantiate_dir(dentry, task,
				      &proc_tid_base_inode_operations,
				      &proc_tid_base_operations);
	if (task)
		put_task_struct(task);
	put_task_struct(leader);
	return ret;
}

/* The @n-th thread's number, 0 if there are not so many. */
static pid_t nth_thread(struct task_struct *leader, loff_t n)
{
	struct task_struct *t;
	pid_t tid = 0;

	spin_lock_irq(&tasklist_lock);
	if (leader->exit_state != EXIT_DEAD) {
		for_each_thread(leader, t) {
			if (!n--) {
				tid = t->pid;
				break;
			}
		}
	}
	spin_unlock_irq(&tasklist_lock);
	return tid;
}

static int proc_task_readdir(struct file *file, struct dir_context *ctx)
{
	struct task_struct *leader = get_proc_task(file_inode(file));
	char name[16];
	pid_t tid;

	if (!leader)
		return -ENOENT;
	if (dir_emit_dots(file, ctx)) {
		for (; (tid = nth_thread(leader, ctx->pos - 2)); ctx->pos++) {
			int len = snprintf(name, sizeof(name), "%d", tid);

			if (!dir_emit(ctx, name, len, PROC_PID_INO(tid, 0),
				      DT_DIR))
				break;
		}
	}
	put_task_struct(leader);
	return 0;
}

static const struct file_operations proc_task_operations = {
	.read		= generic_read_dir,
	.iterate_shared	= proc_task_readdir,
	.llseek		= generic_file_llseek,
};

static const struct inode_operations proc_task_inode_operations = {
	.lookup		= proc_task_lookup,
	.setattr	= proc_setattr,
};

/* What there is of a process. */
static const struct pid_entry tgid_base_stuff[] = {
	DIR("task", proc_task_inode_operations, proc_task_operations),
	THREAD_STUFF(proc_tgid_stat),
};

static struct dentry *proc_tgid_base_lookup(struct inode *dir,
					    struct dentry *dentry,
					    unsigned int flags)
{
	return proc_pident_lookup(dir, dentry, tgid_base_stuff,
				  ARRAY_SIZE(tgid_base_stuff));
}

static int proc_tgid_base_readdir(struct file *file, struct dir_context *ctx)
{
	return proc_pident_readdir(file, ctx, tgid_base_stuff,
				   ARRAY_SIZE(tgid_base_stuff));
}

static const struct file_operations proc_tgid_base_operations = {
	.read		= generic_read_dir,
	.iterate_shared	= proc_tgid_base_readdir,
	.llseek		= generic_file_llseek,
};

static const struct inode_operations proc_tgid_base_inode_operations = {
	.lookup		= proc_tgid_base_lookup,
	.setattr	= proc_setattr,
};

struct dentry *proc_pid_lookup(struct dentry *dentry, unsigned int flags)
{
	unsigned int tgid = name_to_int(&dentry->d_name);
	struct dentry *ret = ERR_PTR(-ENOENT);
	struct task_struct *task;

	if (tgid == ~0U)
		return ret;
	task = find_get_task(tgid);
	if (!task)
		return ret;
	ret = instantiate_dir(dentry, task, &proc_tgid_base_inode_operations,
			      &proc_tgid_base_operations);
	put_task_struct(task);
	return ret;
}

/* The process with the least number of at least @tgid; 0 if there is none. */
static pid_t next_tgid(pid_t tgid)
{
	struct task_struct *p;
	pid_t next = 0;

	spin_lock_irq(&tasklist_lock);
	for_each_process(p)
		if (p->tgid >= tgid && (!next || p->tgid < next))
			next = p->tgid;
	spin_unlock_irq(&tasklist_lock);
	return next;
}

int proc_pid_readdir(struct file *file, struct dir_context *ctx)
{
	pid_t tgid = ctx->pos - FIRST_PROCESS_ENTRY;
	char name[16];
	int len;

	while ((tgid = next_tgid(tgid))) {
		len = snprintf(name, sizeof(name), "%d", tgid);
		ctx->pos = tgid + FIRST_PROCESS_ENTRY;
		if (!dir_emit(ctx, name, len, PROC_PID_INO(tgid, 0), DT_DIR))
			return 0;
		tgid++;
	}
	ctx->pos = INT_MAX;
	return 0;
}
