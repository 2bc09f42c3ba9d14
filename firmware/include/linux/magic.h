/* SPDX-License-Identifier: GPL-2.0-only */
/* What statfs() calls the kinds of file systems. */
#ifndef _LINUX_MAGIC_H
#define _LINUX_MAGIC_H

#define RAMFS_MAGIC		0x858458f6
#define PIPEFS_MAGIC		0x50495045
#define ANON_INODE_FS_MAGIC	0x09041934
#define PROC_SUPER_MAGIC	0x9fa0
#define SYSFS_MAGIC		0x62656572
#define DEBUGFS_MAGIC		0x64626720
#define TRACEFS_MAGIC		0x74726163
#define EXT2_SUPER_MAGIC	0xEF53
#define BDEVFS_MAGIC		0x62646576
#define V9FS_MAGIC		0x01021997

#endif
