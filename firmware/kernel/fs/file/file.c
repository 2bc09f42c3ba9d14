/* SPDX-License-Identifier: GPL-2.0-only */
/* Descriptors: a process's numbers for its open files. */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/syscalls.h>

#include "internal.h"

/* Reserves the lowest free descriptor of start to end - 1. */
int alloc_fd(unsigned int start, unsigned int end, unsigned int flags)
{
	struct files_struct *files = current->files;
	struct fdtable *fdt = &files->fdt;
	unsigned int fd;
	int err;

	spin_lock(&files->file_lock);
	fd = max(start, files->next_fd);
	if (fd < fdt->max_fds)
		fd = find_next_zero_bit(fdt->open_fds, fdt->max_fds, fd);
	err = -EMFILE;
	if (fd >= end)
		goto out;
	err = expand_files(files, fd);
	if (err)
		goto out;
	if (start <= files->next_fd)
		files->next_fd = fd + 1;
	__set_bit(fd, fdt->open_fds);
	if (flags & O_CLOEXEC)
		__set_bit(fd, fdt->close_on_exec);
	else
		__clear_bit(fd, fdt->close_on_exec);
	err = fd;
out:
	spin_unlock(&files->file_lock);
	return err;
}

int get_unused_fd_flags(unsigned int flags)
{
	return alloc_fd(0, rlimit(RLIMIT_NOFILE), flags);
}

static inline void __put_unused_fd(struct files_struct *files, unsigned int fd)
{
	__clear_bit(fd, files->fdt.open_fds);
	if (fd < files->next_fd)
		files->next_fd = fd;
}

void put_unused_fd(unsigned int fd)
{
	struct files_struct *files = current->files;

	spin_lock(&files->file_lock);
	__put_unused_fd(files, fd);
	spin_unlock(&files->file_lock);
}

/* Gives a reserved descriptor its file, and takes over the reference. */
void fd_install(unsigned int fd, struct file *file)
{
	struct files_struct *files = current->files;

	spin_lock(&files->file_lock);
	files->fdt.fd[fd] = file;
	spin_unlock(&files->file_lock);
}

static inline struct file *files_lookup_fd(struct files_struct *files,
					   unsigned int fd)
{
	return fd < files->fdt.max_fds ? files->fdt.fd[fd] : NULL;
}

/* Takes the file out of the table. */
static struct file *pick_file(struct files_struct *files, unsigned int fd)
{
	struct file *file = files_lookup_fd(files, fd);

	if (file) {
		files->fdt.fd[fd] = NULL;
		__put_unused_fd(files, fd);
	}
	return file;
}

int close_fd(unsigned int fd)
{
	struct files_struct *files = current->files;
	struct file *file;

	spin_lock(&files->file_lock);
	file = pick_file(files, fd);
	spin_unlock(&files->file_lock);
	return file ? filp_close(file) : -EBADF;
}

SYSCALL_DEFINE1(close, unsigned int, fd)
{
	return close_fd(fd);
}

/* NULL also if the file's mode has one of @mask. */
static inline struct file *files_lookup_mode(struct files_struct *files,
					     unsigned int fd, fmode_t mask)
{
	struct file *file = files_lookup_fd(files, fd);

	return file && !(file->f_mode & mask) ? file : NULL;
}

static struct file *__fget(struct files_struct *files, unsigned int fd,
			   fmode_t mask)
{
	struct file *file;

	spin_lock(&files->file_lock);
	file = files_lookup_mode(files, fd, mask);
	if (file)
		get_file(file);
	spin_unlock(&files->file_lock);
	return file;
}

struct file *fget(unsigned int fd)
{
	return __fget(current->files, fd, FMODE_PATH);
}

struct file *fget_raw(unsigned int fd)
{
	return __fget(current->files, fd, 0);
}

/* Nobody else can close a file in a table that is not shared. */
static struct fd __fget_light(unsigned int fd, fmode_t mask)
{
	struct files_struct *files = current->files;
	struct file *file;

	if (atomic_read(&files->count) == 1)
		return (struct fd){ files_lookup_mode(files, fd, mask), 0 };
	file = __fget(files, fd, mask);
	return (struct fd){ file, file ? FDPUT_FPUT : 0 };
}

struct fd __fdget(unsigned int fd)
{
	return __fget_light(fd, FMODE_PATH);
}

struct fd __fdget_raw(unsigned int fd)
{
	return __fget_light(fd, 0);
}

struct fd __fdget_pos(unsigned int fd)
{
	struct fd f = __fget_light(fd, FMODE_PATH);

	if (f.file && (f.file->f_mode & FMODE_ATOMIC_POS) &&
	    atomic_read(&f.file->f_count) > 1) {
		mutex_lock(&f.file->f_pos_lock);
		f.flags |= FDPUT_POS_UNLOCK;
	}
	return f;
}

void do_close_on_exec(struct files_struct *files)
{
	struct fdtable *fdt = &files->fdt;
	unsigned int fd = 0;

	spin_lock(&files->file_lock);
	while ((fd = find_next_bit(fdt->close_on_exec, fdt->max_fds, fd)) <
	       fdt->max_fds) {
		struct file *file = pick_file(files, fd);

		__clear_bit(fd, fdt->close_on_exec);
		if (file) {
			spin_unlock(&files->file_lock);
			filp_close(file);
			spin_lock(&files->file_lock);
		}
		fd++;
	}
	spin_unlock(&files->file_lock);
}

bool get_close_on_exec(unsigned int fd)
{
	struct files_struct *files = current->files;
	bool set;

	spin_lock(&files->file_lock);
	set = test_bit(fd, files->fdt.close_on_exec);
	spin_unlock(&files->file_lock);
	return set;
}

void set_close_on_exec(unsigned int fd, int flag)
{
	struct files_struct *files = current->files;

	spin_lock(&files->file_lock);
	if (flag)
		__set_bit(fd, files->fdt.close_on_exec);
	else
		__clear_bit(fd, files->fdt.close_on_exec);
	spin_unlock(&files->file_lock);
}

int f_dupfd(unsigned int from, struct file *file, unsigned int flags)
{
	int fd;

	if (from >= rlimit(RLIMIT_NOFILE))
		return -EINVAL;
	fd = alloc_fd(from, rlimit(RLIMIT_NOFILE), flags);
	if (fd >= 0)
		fd_install(fd, get_file(file));
	return fd;
}

/* Puts @file at @fd, closing what was there; the lock is held, and dropped. */
static int do_dup2(struct files_struct *files, struct file *file,
		   unsigned int fd, unsigned int flags)
{
	struct fdtable *fdt = &files->fdt;
	struct file *old = fdt->fd[fd];

	if (!old && test_bit(fd, fdt->open_fds)) {
		spin_unlock(&files->file_lock);
		return -EBUSY;	/* another thread is opening it */
	}
	fdt->fd[fd] = get_file(file);
	__set_bit(fd, fdt->open_fds);
	if (flags & O_CLOEXEC)
		__set_bit(fd, fdt->close_on_exec);
	else
		__clear_bit(fd, fdt->close_on_exec);
	spin_unlock(&files->file_lock);
	if (old)
		filp_close(old);
	return fd;
}

static int ksys_dup3(unsigned int oldfd, unsigned int newfd, int flags)
{
	struct files_struct *files = current->files;
	struct file *file;
	int err;

	if (flags & ~O_CLOEXEC)
		return -EINVAL;
	if (oldfd == newfd)
		return -EINVAL;
	if (newfd >= rlimit(RLIMIT_NOFILE))
		return -EBADF;

	spin_lock(&files->file_lock);
	file = files_lookup_fd(files, oldfd);
	err = file ? expand_files(files, newfd) : -EBADF;
	if (err) {
		spin_unlock(&files->file_lock);
		return err;
	}
	return do_dup2(files, file, newfd, flags);
}

SYSCALL_DEFINE3(dup3, unsigned int, oldfd, unsigned int, newfd, int, flags)
{
	return ksys_dup3(oldfd, newfd, flags);
}

SYSCALL_DEFINE2(dup2, unsigned int, oldfd, unsigned int, newfd)
{
	if (oldfd == newfd) {
		struct fd f = fdget_raw(oldfd);

		if (!f.file)
			return -EBADF;
		fdput(f);
		return newfd;
	}
	return ksys_dup3(oldfd, newfd, 0);
}

SYSCALL_DEFINE1(dup, unsigned int, fildes)
{
	struct file *file = fget_raw(fildes);
	int fd;

	if (!file)
		return -EBADF;
	fd = get_unused_fd_flags(0);
	if (fd >= 0)
		fd_install(fd, file);
	else
		fput(file);
	return fd;
}
