/* SPDX-License-Identifier: GPL-2.0-only */
/* Trees of files that the host serves: requests, and how they are answered. */
#ifndef _EMU_FILE_SERVER_H
#define _EMU_FILE_SERVER_H

#include <linux/types.h>

/*
 * What is asked for. A request names nodes and handles by the numbers that
 * earlier answers gave; names and data are in its pages. "->" is the answer:
 * a node's attributes in attr, bytes in the pages, their number as result.
 */
#define FS_ROOT		1	/* the tree's name -> attr, FS_READ_ONLY or 0 */
#define FS_LOOKUP	2	/* node, name -> attr */
#define FS_GETATTR	3	/* node -> attr */
#define FS_SETATTR	4	/* node, valid, mode, size, mtime -> attr */
#define FS_READDIR	5	/* handle, offset -> struct file_dirent ... */
#define FS_OPEN		6	/* node, flags -> handle; flags */
#define FS_READ		7	/* handle, offset, size -> data */
#define FS_WRITE	8	/* handle, offset, size, data -> bytes taken */
#define FS_POLL		9	/* handle -> FS_READABLE, FS_WRITABLE */
#define FS_RELEASE	10	/* handle */
#define FS_CREATE	11	/* node, name, mode -> attr */
#define FS_MKDIR	12	/* node, name, mode -> attr */
#define FS_SYMLINK	13	/* node, name NUL text -> attr */
#define FS_LINK		14	/* node, name, other: the file -> attr */
#define FS_UNLINK	15	/* node, name */
#define FS_RMDIR	16	/* node, name */
#define FS_RENAME	17	/* node, name NUL new name, other: new node */
#define FS_READLINK	18	/* node -> text */
#define FS_SPLICE	19	/* handle, offset, size -> data, for a pipe */
#define FS_IOCTL	20	/* handle, offset: the command */

/* FS_ROOT's result: nothing can be changed */
#define FS_READ_ONLY		0x1

/* FS_OPEN's flags */
#define FS_OPEN_READ		0x1
#define FS_OPEN_WRITE		0x2
#define FS_OPEN_APPEND		0x4
#define FS_OPEN_TRUNCATE	0x8
/* ... and in its answer: it has no position */
#define FS_OPEN_STREAM		0x10

/* FS_READ's and FS_SPLICE's flags: -EAGAIN instead of waiting */
#define FS_NONBLOCK		0x1

/* FS_SETATTR's flags: what is to change */
#define FS_SET_MODE		0x1
#define FS_SET_SIZE		0x2
#define FS_SET_MTIME		0x4

/* FS_POLL's result */
#define FS_READABLE		0x1
#define FS_WRITABLE		0x2

/* What HC_FILE_REQUEST returns, if not -errno: the request was not one. */
#define FS_ANSWERED	0
#define FS_WAIT		1	/* the answer comes later; may be given up */
#define FS_WAIT_DONE	2	/* it comes when what has begun has ended */

#define FILE_REQUEST_PAGES	16

/* In place of nanoseconds: it has been there for ever. */
#define FILE_NO_TIME		0xffffffffU

struct file_attr {
	u64	node;
	u64	ino;
	u64	size;
	s64	mtime_sec;
	u32	mtime_nsec;
	u32	mode;
	u32	nlink;
	u32	pad;
};

struct file_request {
	u64	node;
	u64	other;
	u64	handle;
	u64	offset;
	u64	size;		/* bytes in the pages; of FS_READ: wanted */
	s64	mtime_sec;
	u32	mtime_nsec;
	u32	op;
	u32	flags;
	u32	mode;
	s64	result;		/* or -errno */
	struct file_attr attr;
	u64	nr_pages;
	u64	pages[FILE_REQUEST_PAGES];	/* physical addresses */
};

/* An entry of a directory; the next one is reclen bytes on. */
struct file_dirent {
	u64	ino;
	u64	next;		/* the offset after it */
	u16	reclen;
	u8	type;		/* as in struct linux_dirent64 */
	u8	namelen;
	u32	pad;
	char	name[];
};

#endif
