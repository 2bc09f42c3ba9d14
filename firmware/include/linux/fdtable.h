/* SPDX-License-Identifier: GPL-2.0-only */
/* A process's table of open files. */
#ifndef _LINUX_FDTABLE_H
#define _LINUX_FDTABLE_H

#include <linux/atomic.h>
#include <linux/file.h>
#include <linux/spinlock.h>

#define NR_OPEN_DEFAULT	64
#define NR_OPEN_MAX	1024	/* RLIMIT_NOFILE */

struct task_struct;

/*
 * max_fds is a multiple of 64. A descriptor is in use when its bit in open_fds
 * is set; its file comes with fd_install().
 */
struct fdtable {
	unsigned int	max_fds;
	struct file	**fd;
	unsigned long	*close_on_exec;
	unsigned long	*open_fds;
};

struct files_struct {
	atomic_t	count;
	spinlock_t	file_lock;	/* protects the rest */
	unsigned int	next_fd;	/* all below are in use */
	struct fdtable	fdt;
	/* The first table, big enough for nearly every process. */
	unsigned long	close_on_exec_init[NR_OPEN_DEFAULT / 64];
	unsigned long	open_fds_init[NR_OPEN_DEFAULT / 64];
	struct file	*fd_array[NR_OPEN_DEFAULT];
};

extern struct files_struct init_files;

struct files_struct *dup_fd(struct files_struct *oldf);
void put_files_struct(struct files_struct *files);
void exit_files(struct task_struct *tsk);
int unshare_files(void);
void do_close_on_exec(struct files_struct *files);

int alloc_fd(unsigned int start, unsigned int end, unsigned int flags);
int f_dupfd(unsigned int from, struct file *file, unsigned int flags);
bool get_close_on_exec(unsigned int fd);
void set_close_on_exec(unsigned int fd, int flag);

#endif
