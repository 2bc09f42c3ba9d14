/* SPDX-License-Identifier: GPL-2.0-only */
/* Where lseek() counts from, and how renameat2() renames. */
#ifndef _UAPI_LINUX_FS_H
#define _UAPI_LINUX_FS_H

#define SEEK_SET	0
#define SEEK_CUR	1
#define SEEK_END	2
#define SEEK_DATA	3	/* the next byte that is not in a hole */
#define SEEK_HOLE	4

#define RENAME_NOREPLACE	(1 << 0)	/* not over what is there */

#endif
