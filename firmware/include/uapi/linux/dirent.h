/* SPDX-License-Identifier: GPL-2.0-only */
/* Types of directory entries. */
#ifndef _UAPI_LINUX_DIRENT_H
#define _UAPI_LINUX_DIRENT_H

/* d_type */
#define DT_UNKNOWN	0
#define DT_FIFO		1
#define DT_CHR		2
#define DT_DIR		4
#define DT_BLK		6
#define DT_REG		8
#define DT_LNK		10
#define DT_SOCK		12

#endif
