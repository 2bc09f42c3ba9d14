/* SPDX-License-Identifier: GPL-2.0-only */
/* What getdents64() returns. */
#ifndef _LINUX_DIRENT_H
#define _LINUX_DIRENT_H

#include <linux/types.h>
#include <uapi/linux/dirent.h>

struct linux_dirent64 {
	u64		d_ino;
	s64		d_off;		/* where the next entry starts */
	unsigned short	d_reclen;
	unsigned char	d_type;
	char		d_name[];
};

#endif
