/* SPDX-License-Identifier: GPL-2.0-only */
/* From a descriptor to its file. */
#ifndef _LINUX_FILE_H
#define _LINUX_FILE_H

#include <linux/fs.h>

#define FDPUT_FPUT		1
#define FDPUT_POS_UNLOCK	2

/* A file borrowed for a system call; flags say what fdput must undo. */
struct fd {
	struct file	*file;
	unsigned long	flags;
};

/* Not of files that only stand for a path (O_PATH), but for the raw ones. */
struct file *fget(unsigned int fd);
struct file *fget_raw(unsigned int fd);
struct fd __fdget(unsigned int fd);
struct fd __fdget_raw(unsigned int fd);
/* Also holds the position lock of a file that several tasks may share. */
struct fd __fdget_pos(unsigned int fd);

static inline struct fd fdget(unsigned int fd)
{
	return __fdget(fd);
}

static inline struct fd fdget_raw(unsigned int fd)
{
	return __fdget_raw(fd);
}

static inline struct fd fdget_pos(unsigned int fd)
{
	return __fdget_pos(fd);
}

static inline void fdput(struct fd f)
{
	if (f.flags & FDPUT_FPUT)
		fput(f.file);
}

static inline void fdput_pos(struct fd f)
{
	if (likely(!f.flags))
		return;
	if (f.flags & FDPUT_POS_UNLOCK)
		mutex_unlock(&f.file->f_pos_lock);
	fdput(f);
}

int get_unused_fd_flags(unsigned int flags);
void put_unused_fd(unsigned int fd);
void fd_install(unsigned int fd, struct file *file);
int close_fd(unsigned int fd);

/* fs/anon_inodes.c: a file without an inode of its own */
struct file_operations;
struct file *anon_inode_getfile(const char *name,
				const struct file_operations *fops, void *priv,
				int flags);
int anon_inode_getfd(const char *name, const struct file_operations *fops,
		     void *priv, int flags);

#endif
