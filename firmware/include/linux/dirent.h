/* SPDX-License-Identifier: GPL-2.0-only */
/* What getdents64() returns. */
#ifndef _LINUX_DIRENT_H
#define _LINUX_DIRENT_H

#include <linux/types.h>

struct linux_dirent64 {
	u64		d_ino;
	s64		d_off;		/* where the next entry starts */
	unsigned short	d_reclen;
	unsigned char	d_type;
	char		d_name[];
};

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
