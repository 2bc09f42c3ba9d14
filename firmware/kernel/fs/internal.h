/* SPDX-License-Identifier: GPL-2.0-only */
/* What the folders of kernel/fs share only among themselves. */
#ifndef _FS_INTERNAL_H
#define _FS_INTERNAL_H

#include <linux/fs.h>

/* What a new inode has until its file system says more. */
extern const struct inode_operations empty_iops;
extern const struct address_space_operations empty_aops;
extern const struct file_operations no_open_fops;
bool may_open_dev(const struct path *path);
extern const struct file_operations def_fifo_fops;

/* file/read_write.c. Of a file that has ->write_iter. */
ssize_t vfs_iter_write(struct file *file, struct iov_iter *iter, loff_t *pos);
int rw_verify_area(const struct file *file, const loff_t *pos, size_t count);

/* fs-writeback.c */
void inode_io_list_del(struct inode *inode);

/* namei/open.c */
bool path_noexec(const struct path *path);

/* set-up, in order: see vfs_caches_init() */
void mnt_init(void);
void inode_init(void);
void namei_init(void);
void files_init(void);
void fdtable_init(void);
void fs_struct_init(void);

#endif
