/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing dirty inodes and their pages to where they are stored. */
#ifndef _LINUX_WRITEBACK_H
#define _LINUX_WRITEBACK_H

#include <linux/fs.h>
#include <linux/limits.h>

enum writeback_sync_modes {
	WB_SYNC_NONE,	/* do not wait for what is under way */
	WB_SYNC_ALL,
};

enum wb_reason {
	WB_REASON_BACKGROUND,
	WB_REASON_VMSCAN,
	WB_REASON_SYNC,
	WB_REASON_PERIODIC,
	WB_REASON_LAPTOP_TIMER,
	WB_REASON_FS_FREE_SPACE,
	WB_REASON_FORKER_THREAD,
	WB_REASON_FOREIGN_FLUSH,
};

struct writeback_control {
	long		nr_to_write;
	loff_t		range_start;
	loff_t		range_end;
	enum writeback_sync_modes sync_mode;
	long		pages_skipped;	/* still dirty */
	bool		for_kupdate;	/* because it is old */
	bool		range_cyclic;	/* any pages will do */
};

/* page-writeback.c */
int do_writepages(struct address_space *mapping, struct writeback_control *wbc);
void balance_dirty_pages_ratelimited(struct address_space *mapping);
long nr_dirty_pages(void);
long nr_writeback_pages(void);

/* fs-writeback.c */
struct backing_dev_info;
void wb_init(struct backing_dev_info *bdi);
/* All that is dirty is to be written soon. */
void wakeup_flusher_threads(enum wb_reason reason);

/* page_cache/filemap_sync.c: a file's pages, from now on, or until written */
void mapping_set_error(struct address_space *mapping, int error);
int filemap_check_errors(struct address_space *mapping);
int filemap_flush(struct address_space *mapping);
int filemap_fdatawait_range(struct address_space *mapping, loff_t start,
			    loff_t end);
int filemap_write_and_wait_range(struct address_space *mapping, loff_t start,
				 loff_t end);
int file_write_and_wait_range(struct file *file, loff_t start, loff_t end);
/* After a write of @count bytes to a file that is to be written at once. */
ssize_t generic_write_sync(struct kiocb *iocb, ssize_t count);

static inline int filemap_write_and_wait(struct address_space *mapping)
{
	return filemap_write_and_wait_range(mapping, 0, LLONG_MAX);
}

#endif
