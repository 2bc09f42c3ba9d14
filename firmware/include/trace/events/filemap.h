/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM filemap

#if !defined(_TRACE_FILEMAP_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_FILEMAP_H

#include <linux/kdev_t.h>
#include <linux/mm.h>
#include <linux/super.h>
#include <linux/tracepoint.h>

DECLARE_EVENT_CLASS(mm_filemap_op_page_cache,
	TP_PROTO(struct page *page),
	TP_ARGS(page),
	TP_STRUCT__entry(
		__field(unsigned long, pfn)
		__field(unsigned long, i_ino)
		__field(unsigned long, index)
		__field(dev_t, s_dev)
		__field(unsigned char, order)
	),
	TP_fast_assign(
		__entry->pfn = page_to_pfn(page);
		__entry->i_ino = page->mapping->host->i_ino;
		__entry->index = page->index;
		__entry->s_dev = page->mapping->host->i_sb->s_dev;
		__entry->order = 0;
	),
	TP_printk("dev %d:%d ino %lx pfn=0x%lx ofs=%lu order=%u",
		MAJOR(__entry->s_dev), MINOR(__entry->s_dev),
		__entry->i_ino, __entry->pfn, __entry->index << PAGE_SHIFT,
		__entry->order)
);

DEFINE_EVENT(mm_filemap_op_page_cache, mm_filemap_delete_from_page_cache,
	TP_PROTO(struct page *page),
	TP_ARGS(page)
);

DEFINE_EVENT(mm_filemap_op_page_cache, mm_filemap_add_to_page_cache,
	TP_PROTO(struct page *page),
	TP_ARGS(page)
);

TRACE_EVENT(filemap_set_wb_err,
	TP_PROTO(struct address_space *mapping, errseq_t eseq),
	TP_ARGS(mapping, eseq),
	TP_STRUCT__entry(
		__field(unsigned long, i_ino)
		__field(dev_t, s_dev)
		__field(errseq_t, errseq)
	),
	TP_fast_assign(
		__entry->i_ino = mapping->host->i_ino;
		__entry->s_dev = mapping->host->i_sb->s_dev;
		__entry->errseq = eseq;
	),
	TP_printk("dev=%d:%d ino=0x%lx errseq=0x%x",
		MAJOR(__entry->s_dev), MINOR(__entry->s_dev),
		__entry->i_ino, __entry->errseq)
);

TRACE_EVENT(file_check_and_advance_wb_err,
	TP_PROTO(struct file *file, errseq_t old),
	TP_ARGS(file, old),
	TP_STRUCT__entry(
		__field(struct file *, file)
		__field(unsigned long, i_ino)
		__field(dev_t, s_dev)
		__field(errseq_t, old)
		__field(errseq_t, new)
	),
	TP_fast_assign(
		__entry->file = file;
		__entry->i_ino = file->f_mapping->host->i_ino;
		__entry->s_dev = file->f_mapping->host->i_sb->s_dev;
		__entry->old = old;
		__entry->new = file->f_wb_err;
	),
	TP_printk("file=%p dev=%d:%d ino=0x%lx old=0x%x new=0x%x",
		__entry->file, MAJOR(__entry->s_dev), MINOR(__entry->s_dev),
		__entry->i_ino, __entry->old, __entry->new)
);

#endif

#include <trace/define_trace.h>
