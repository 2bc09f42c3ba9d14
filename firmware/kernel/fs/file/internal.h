/* SPDX-License-Identifier: GPL-2.0-only */
/* What open files and descriptor tables share. */
#ifndef _FS_FILE_INTERNAL_H
#define _FS_FILE_INTERNAL_H

#include <linux/fs.h>

struct files_struct;

/* open.c: for those who open files themselves */
void put_file_access(struct file *file);
fmode_t can_do(const struct file *file);

/* files_struct.c: with the lock held */
int expand_files(struct files_struct *files, unsigned int nr);

#endif
