/* SPDX-License-Identifier: GPL-2.0-only */
/* Descriptor tables: how they start, grow, are copied and end. */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../internal.h"
#include "internal.h"

struct files_struct init_files = {
	.count		= ATOMIC_INIT(1),
	.file_lock	= __SPIN_LOCK_UNLOCKED,
	.fdt		= {
		.max_fds	= NR_OPEN_DEFAULT,
		.fd		= init_files.fd_array,
		.close_on_exec	= init_files.close_on_exec_init,
		.open_fds	= init_files.open_fds_init,
	},
};

static struct kmem_cache *files_cachep;

/* One allocation: the files, then both bitmaps. */
static int alloc_fdtable(struct fdtable *fdt, unsigned int max_fds)
{
	size_t bitmap = BITS_TO_LONGS(max_fds) * sizeof(long);
	size_t files = max_fds * sizeof(struct file *);
	char *mem = kzalloc(files + 2 * bitmap, GFP_ATOMIC);

	if (!mem)
		return -ENOMEM;
	fdt->max_fds = max_fds;
	fdt->fd = (struct file **)mem;
	fdt->open_fds = (unsigned long *)(mem + files);
	fdt->close_on_exec = (unsigned long *)(mem + files + bitmap);
	return 0;
}

static inline void free_fdtable(struct files_struct *files)
{
	if (files->fdt.fd != files->fd_array)
		kfree(files->fdt.fd);
}

/* @to is at least as big as @from, and empty. */
static inline void copy_fdtable(struct fdtable *to, const struct fdtable *from)
{
	size_t bitmap = BITS_TO_LONGS(from->max_fds) * sizeof(long);

	memcpy(to->fd, from->fd, from->max_fds * sizeof(struct file *));
	memcpy(to->open_fds, from->open_fds, bitmap);
	memcpy(to->close_on_exec, from->close_on_exec, bitmap);
}

/* Makes room for descriptor @nr; the lock is held. */
int expand_files(struct files_struct *files, unsigned int nr)
{
	unsigned int max_fds = files->fdt.max_fds;
	struct fdtable fdt;
	int err;

	if (nr < max_fds)
		return 0;
	while (max_fds <= nr)
		max_fds *= 2;
	err = alloc_fdtable(&fdt, max_fds);
	if (err)
		return err;
	copy_fdtable(&fdt, &files->fdt);
	free_fdtable(files);
	files->fdt = fdt;
	return 0;
}

static inline unsigned int next_fd_in_use(const struct fdtable *fdt,
					  unsigned int fd)
{
	return find_next_bit(fdt->open_fds, fdt->max_fds, fd);
}

/* A descriptor without a file is reserved by another thread, for itself. */
static inline void share_files(struct fdtable *fdt)
{
	unsigned int fd = 0;

	for (; (fd = next_fd_in_use(fdt, fd)) < fdt->max_fds; fd++) {
		if (fdt->fd[fd])
			get_file(fdt->fd[fd]);
		else
			__clear_bit(fd, fdt->open_fds);
	}
}

/* fork: a copy of the table, with the files shared. */
struct files_struct *dup_fd(struct files_struct *oldf)
{
	struct files_struct *newf = kmem_cache_zalloc(files_cachep, GFP_KERNEL);
	struct fdtable *fdt, *old = &oldf->fdt;
	int err = 0;

	if (!newf)
		return ERR_PTR(-ENOMEM);
	atomic_set(&newf->count, 1);
	spin_lock_init(&newf->file_lock);
	fdt = &newf->fdt;
	fdt->max_fds = NR_OPEN_DEFAULT;
	fdt->fd = newf->fd_array;
	fdt->close_on_exec = newf->close_on_exec_init;
	fdt->open_fds = newf->open_fds_init;

	spin_lock(&oldf->file_lock);
	if (old->max_fds > fdt->max_fds)
		err = alloc_fdtable(fdt, old->max_fds);
	if (!err) {
		copy_fdtable(fdt, old);
		share_files(fdt);
	}
	spin_unlock(&oldf->file_lock);

	if (err) {
		kmem_cache_free(files_cachep, newf);
		return ERR_PTR(err);
	}
	return newf;
}

static void close_files(struct files_struct *files)
{
	struct fdtable *fdt = &files->fdt;
	unsigned int fd = 0;

	for (; (fd = next_fd_in_use(fdt, fd)) < fdt->max_fds; fd++)
		if (fdt->fd[fd])
			filp_close(fdt->fd[fd]);
}

void put_files_struct(struct files_struct *files)
{
	if (!atomic_dec_and_test(&files->count))
		return;
	close_files(files);
	free_fdtable(files);
	if (files != &init_files)
		kmem_cache_free(files_cachep, files);
}

void exit_files(struct task_struct *tsk)
{
	struct files_struct *files = tsk->files;

	if (files) {
		task_lock(tsk);
		tsk->files = NULL;
		task_unlock(tsk);
		put_files_struct(files);
	}
}

/* execve: the new program gets a table of its own. */
int unshare_files(void)
{
	struct files_struct *files = current->files, *copy;

	if (atomic_read(&files->count) == 1)
		return 0;
	copy = dup_fd(files);
	if (IS_ERR(copy))
		return PTR_ERR(copy);
	task_lock(current);
	current->files = copy;
	task_unlock(current);
	put_files_struct(files);
	return 0;
}

void fdtable_init(void)
{
	files_cachep = KMEM_CACHE(files_struct, SLAB_PANIC);
}
