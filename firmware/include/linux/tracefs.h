/* SPDX-License-Identifier: GPL-2.0-only */
/* The tree of files by which tracing is controlled. */
#ifndef _LINUX_TRACEFS_H
#define _LINUX_TRACEFS_H

struct dentry;

/* A directory in @parent, with a reference, or an ERR_PTR(). Sleeps. */
struct dentry *tracefs_create_dir(const char *name, struct dentry *parent);

#endif
