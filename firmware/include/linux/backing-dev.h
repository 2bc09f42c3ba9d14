/* SPDX-License-Identifier: GPL-2.0-only */
/* Where dirty pages go: a disk, by the numbers that traces call it by. */
#ifndef _LINUX_BACKING_DEV_H
#define _LINUX_BACKING_DEV_H

#include <linux/types.h>

struct inode;

struct backing_dev_info {
	char dev_name[32];
};

/* NULL: what such an inode holds is not written anywhere. */
struct backing_dev_info *inode_to_bdi(struct inode *inode);
const char *bdi_dev_name(struct backing_dev_info *bdi);
void bdi_register(struct backing_dev_info *bdi, dev_t dev);

#endif
