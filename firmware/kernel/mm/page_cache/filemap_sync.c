/* SPDX-License-Identifier: GPL-2.0-only */
/* Having a file's pages written, and waiting until they are. */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/writeback.h>
#include <trace/events/filemap.h>

static void __filemap_set_wb_err(struct address_space *mapping, int error)
{
	errseq_t before = errseq_set(&mapping->wb_err, error);

	trace_filemap_set_wb_err(mapping, before);
}

/*
 * Something was lost: all who have the file open are told when they sync it,
 * and so is the next who syncs it otherwise. May be in a softirq.
 */
void mapping_set_error(struct address_space *mapping, int error)
{
	__filemap_set_wb_err(mapping, error);
	set_bit(error == -ENOSPC ? AS_ENOSPC : AS_EIO, &mapping->flags);
}

int filemap_check_errors(struct address_space *mapping)
{
	int err = 0;

	if (test_and_clear_bit(AS_ENOSPC, &mapping->flags))
		err = -ENOSPC;
	if (test_and_clear_bit(AS_EIO, &mapping->flags))
		err = -EIO;
	return err;
}

/* What was lost since @file last asked, or was opened. */
static int file_check_and_advance_wb_err(struct file *file)
{
	struct address_space *mapping = file->f_mapping;
	errseq_t old;
	int err = 0;

	if (errseq_check(&mapping->wb_err, READ_ONCE(file->f_wb_err))) {
		spin_lock(&file->f_lock);
		old = file->f_wb_err;
		err = errseq_check_and_advance(&mapping->wb_err,
					       &file->f_wb_err);
		trace_file_check_and_advance_wb_err(file, old);
		spin_unlock(&file->f_lock);
	}
	filemap_check_errors(mapping);
	return err;
}

static int __filemap_fdatawrite_range(struct address_space *mapping,
				      loff_t start, loff_t end,
				      enum writeback_sync_modes mode)
{
	struct writeback_control wbc = {
		.nr_to_write	= LONG_MAX,
		.range_start	= start,
		.range_end	= end,
		.sync_mode	= mode,
	};

	if (!mapping->nrpages)
		return 0;
	return do_writepages(mapping, &wbc);
}

/* Starts, and does not wait. */
int filemap_flush(struct address_space *mapping)
{
	return __filemap_fdatawrite_range(mapping, 0, LLONG_MAX,
					  WB_SYNC_NONE);
}

static void __filemap_fdatawait_range(struct address_space *mapping,
				      loff_t start, loff_t end)
{
	unsigned long index = (u64)start >> PAGE_SHIFT;
	struct page *page;

	while ((page = find_get_next(mapping, &index))) {
		if (index <= (u64)end >> PAGE_SHIFT)
			folio_wait_writeback(page);
		put_page(page);
		if (index++ >= (u64)end >> PAGE_SHIFT)
			break;
	}
}

int filemap_fdatawait_range(struct address_space *mapping, loff_t start,
			    loff_t end)
{
	__filemap_fdatawait_range(mapping, start, end);
	return filemap_check_errors(mapping);
}

int filemap_write_and_wait_range(struct address_space *mapping, loff_t start,
				 loff_t end)
{
	int err, ret;

	if (!mapping->nrpages)
		return filemap_check_errors(mapping);
	err = __filemap_fdatawrite_range(mapping, start, end, WB_SYNC_ALL);
	ret = filemap_fdatawait_range(mapping, start, end);
	return err ? err : ret;
}

int file_write_and_wait_range(struct file *file, loff_t start, loff_t end)
{
	struct address_space *mapping = file->f_mapping;
	int err = 0, ret;

	if (mapping->nrpages) {
		err = __filemap_fdatawrite_range(mapping, start, end,
						 WB_SYNC_ALL);
		__filemap_fdatawait_range(mapping, start, end);
	}
	ret = file_check_and_advance_wb_err(file);
	return err ? err : ret;
}

ssize_t generic_write_sync(struct kiocb *iocb, ssize_t count)
{
	struct file *file = iocb->ki_filp;
	struct inode *inode = file->f_mapping->host;
	int err;

	if (!(file->f_flags & O_DSYNC) && !(inode->i_flags & S_SYNC) &&
	    !(inode->i_sb->s_flags & SB_SYNCHRONOUS))
		return count;
	if (!file->f_op->fsync)
		return count;
	err = vfs_fsync_range(file, iocb->ki_pos - count, iocb->ki_pos - 1,
			      !(file->f_flags & __O_SYNC));
	return err ? err : count;
}
