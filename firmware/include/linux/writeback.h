/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing dirty inodes and their pages to where they are stored. */
#ifndef _LINUX_WRITEBACK_H
#define _LINUX_WRITEBACK_H

#include <linux/fs.h>

enum writeback_sync_modes {
	WB_SYNC_NONE,	/* do not wait for what is under way */
	WB_SYNC_ALL,
};

struct writeback_control {
	long		nr_to_write;
	loff_t		range_start;
	loff_t		range_end;
	enum writeback_sync_modes sync_mode;
};

#endif
