/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM writeback

#if !defined(_TRACE_WRITEBACK_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_WRITEBACK_H

#include <linux/backing-dev.h>
#include <linux/jiffies.h>
#include <linux/kdev_t.h>
#include <linux/mm.h>
#include <linux/super.h>
#include <linux/tracepoint.h>
#include <linux/writeback.h>

struct bdi_writeback;
struct wb_writeback_work;

#define show_inode_state(state)						\
	__print_flags(state, "|",					\
		{I_DIRTY_SYNC,		"I_DIRTY_SYNC"},		\
		{I_DIRTY_DATASYNC,	"I_DIRTY_DATASYNC"},		\
		{I_DIRTY_PAGES,		"I_DIRTY_PAGES"},		\
		{I_NEW,			"I_NEW"},			\
		{I_WILL_FREE,		"I_WILL_FREE"},			\
		{I_FREEING,		"I_FREEING"},			\
		{I_CLEAR,		"I_CLEAR"},			\
		{(1 << 7),		"I_SYNC"},			\
		{(1 << 11),		"I_DIRTY_TIME"},		\
		{(1 << 8),		"I_REFERENCED"}			\
	)

#define WB_WORK_REASON							\
	EM( WB_REASON_BACKGROUND,	"background")			\
	EM( WB_REASON_VMSCAN,		"vmscan")			\
	EM( WB_REASON_SYNC,		"sync")				\
	EM( WB_REASON_PERIODIC,		"periodic")			\
	EM( WB_REASON_LAPTOP_TIMER,	"laptop_timer")			\
	EM( WB_REASON_FS_FREE_SPACE,	"fs_free_space")		\
	EM( WB_REASON_FORKER_THREAD,	"forker_thread")		\
	EMe(WB_REASON_FOREIGN_FLUSH,	"foreign_flush")

#undef EM
#undef EMe
#define EM(a, b)	TRACE_DEFINE_ENUM(a);
#define EMe(a, b)	TRACE_DEFINE_ENUM(a);

WB_WORK_REASON

#undef EM
#undef EMe
#define EM(a, b)	{ a, b },
#define EMe(a, b)	{ a, b }

/* What the root of all control groups shows. */
#define WB_CGROUP_INO	1

#ifdef CREATE_TRACE_POINTS
static inline void trace_bdi_name(char *name, struct backing_dev_info *bdi)
{
	memset(name, 0, 32);
	strscpy(name, bdi_dev_name(bdi), 32);
}
#endif

DECLARE_EVENT_CLASS(writeback_folio_template,
	TP_PROTO(struct page *page, struct address_space *mapping),
	TP_ARGS(page, mapping),
	TP_STRUCT__entry(
		__array(char, name, 32)
		__field(ino_t, ino)
		__field(unsigned long, index)
	),
	TP_fast_assign(
		trace_bdi_name(__entry->name,
			mapping ? inode_to_bdi(mapping->host) : NULL);
		__entry->ino = mapping ? mapping->host->i_ino : 0;
		__entry->index = page->index;
	),
	TP_printk("bdi %s: ino=%lu index=%lu",
		__entry->name, (unsigned long)__entry->ino, __entry->index)
);

DEFINE_EVENT(writeback_folio_template, writeback_dirty_folio,
	TP_PROTO(struct page *page, struct address_space *mapping),
	TP_ARGS(page, mapping)
);

DEFINE_EVENT(writeback_folio_template, folio_wait_writeback,
	TP_PROTO(struct page *page, struct address_space *mapping),
	TP_ARGS(page, mapping)
);

DECLARE_EVENT_CLASS(writeback_dirty_inode_template,
	TP_PROTO(struct inode *inode, int flags),
	TP_ARGS(inode, flags),
	TP_STRUCT__entry(
		__array(char, name, 32)
		__field(ino_t, ino)
		__field(unsigned long, state)
		__field(unsigned long, flags)
	),
	TP_fast_assign(
		trace_bdi_name(__entry->name, inode_to_bdi(inode));
		__entry->ino = inode->i_ino;
		__entry->state = inode->i_state;
		__entry->flags = flags;
	),
	TP_printk("bdi %s: ino=%lu state=%s flags=%s",
		__entry->name, (unsigned long)__entry->ino,
		show_inode_state(__entry->state),
		show_inode_state(__entry->flags))
);

DEFINE_EVENT(writeback_dirty_inode_template, writeback_mark_inode_dirty,
	TP_PROTO(struct inode *inode, int flags),
	TP_ARGS(inode, flags)
);

DEFINE_EVENT(writeback_dirty_inode_template, writeback_dirty_inode_start,
	TP_PROTO(struct inode *inode, int flags),
	TP_ARGS(inode, flags)
);

DEFINE_EVENT(writeback_dirty_inode_template, writeback_dirty_inode,
	TP_PROTO(struct inode *inode, int flags),
	TP_ARGS(inode, flags)
);

DECLARE_EVENT_CLASS(writeback_write_inode_template,
	TP_PROTO(struct inode *inode, struct writeback_control *wbc),
	TP_ARGS(inode, wbc),
	TP_STRUCT__entry(
		__array(char, name, 32)
		__field(ino_t, ino)
		__field(int, sync_mode)
		__field(ino_t, cgroup_ino)
	),
	TP_fast_assign(
		trace_bdi_name(__entry->name, inode_to_bdi(inode));
		__entry->ino = inode->i_ino;
		__entry->sync_mode = wbc->sync_mode;
		__entry->cgroup_ino = WB_CGROUP_INO;
	),
	TP_printk("bdi %s: ino=%lu sync_mode=%d cgroup_ino=%lu",
		__entry->name, (unsigned long)__entry->ino,
		__entry->sync_mode, (unsigned long)__entry->cgroup_ino)
);

DEFINE_EVENT(writeback_write_inode_template, writeback_write_inode_start,
	TP_PROTO(struct inode *inode, struct writeback_control *wbc),
	TP_ARGS(inode, wbc)
);

DEFINE_EVENT(writeback_write_inode_template, writeback_write_inode,
	TP_PROTO(struct inode *inode, struct writeback_control *wbc),
	TP_ARGS(inode, wbc)
);

DECLARE_EVENT_CLASS(writeback_work_class,
	TP_PROTO(struct bdi_writeback *wb, struct wb_writeback_work *work),
	TP_ARGS(wb, work),
	TP_STRUCT__entry(
		__array(char, name, 32)
		__field(long, nr_pages)
		__field(dev_t, sb_dev)
		__field(int, sync_mode)
		__field(int, for_kupdate)
		__field(int, range_cyclic)
		__field(int, for_background)
		__field(int, reason)
		__field(ino_t, cgroup_ino)
	),
	TP_fast_assign(
		trace_bdi_name(__entry->name, wb->bdi);
		__entry->nr_pages = work->nr_pages;
		__entry->sb_dev = 0;
		__entry->sync_mode = work->sync_mode;
		__entry->for_kupdate = work->for_kupdate;
		__entry->range_cyclic = work->range_cyclic;
		__entry->for_background = 0;
		__entry->reason = work->reason;
		__entry->cgroup_ino = WB_CGROUP_INO;
	),
	TP_printk("bdi %s: sb_dev %d:%d nr_pages=%ld sync_mode=%d kupdate=%d range_cyclic=%d background=%d reason=%s cgroup_ino=%lu",
		__entry->name, MAJOR(__entry->sb_dev), MINOR(__entry->sb_dev),
		__entry->nr_pages, __entry->sync_mode, __entry->for_kupdate,
		__entry->range_cyclic, __entry->for_background,
		__print_symbolic(__entry->reason, WB_WORK_REASON),
		(unsigned long)__entry->cgroup_ino)
);

DEFINE_EVENT(writeback_work_class, writeback_start,
	TP_PROTO(struct bdi_writeback *wb, struct wb_writeback_work *work),
	TP_ARGS(wb, work)
);

DEFINE_EVENT(writeback_work_class, writeback_written,
	TP_PROTO(struct bdi_writeback *wb, struct wb_writeback_work *work),
	TP_ARGS(wb, work)
);

TRACE_EVENT(writeback_pages_written,
	TP_PROTO(long pages_written),
	TP_ARGS(pages_written),
	TP_STRUCT__entry(
		__field(long, pages)
	),
	TP_fast_assign(
		__entry->pages = pages_written;
	),
	TP_printk("%ld", __entry->pages)
);

TRACE_EVENT(writeback_bdi_register,
	TP_PROTO(struct backing_dev_info *bdi),
	TP_ARGS(bdi),
	TP_STRUCT__entry(
		__array(char, name, 32)
	),
	TP_fast_assign(
		trace_bdi_name(__entry->name, bdi);
	),
	TP_printk("bdi %s", __entry->name)
);

TRACE_EVENT(wbc_writepage,
	TP_PROTO(struct writeback_control *wbc, struct inode *inode),
	TP_ARGS(wbc, inode),
	TP_STRUCT__entry(
		__array(char, name, 32)
		__field(long, nr_to_write)
		__field(long, pages_skipped)
		__field(int, sync_mode)
		__field(int, for_kupdate)
		__field(int, for_background)
		__field(int, for_reclaim)
		__field(int, range_cyclic)
		__field(long, range_start)
		__field(long, range_end)
		__field(ino_t, cgroup_ino)
	),
	TP_fast_assign(
		trace_bdi_name(__entry->name, inode_to_bdi(inode));
		__entry->nr_to_write = wbc->nr_to_write;
		__entry->pages_skipped = wbc->pages_skipped;
		__entry->sync_mode = wbc->sync_mode;
		__entry->for_kupdate = wbc->for_kupdate;
		__entry->for_background = 0;
		__entry->for_reclaim = 0;
		__entry->range_cyclic = wbc->range_cyclic;
		__entry->range_start = wbc->range_start;
		__entry->range_end = wbc->range_end;
		__entry->cgroup_ino = WB_CGROUP_INO;
	),
	TP_printk("bdi %s: towrt=%ld skip=%ld mode=%d kupd=%d bgrd=%d reclm=%d cyclic=%d start=0x%lx end=0x%lx cgroup_ino=%lu",
		__entry->name, __entry->nr_to_write, __entry->pages_skipped,
		__entry->sync_mode, __entry->for_kupdate,
		__entry->for_background, __entry->for_reclaim,
		__entry->range_cyclic, __entry->range_start,
		__entry->range_end, (unsigned long)__entry->cgroup_ino)
);

DECLARE_EVENT_CLASS(writeback_single_inode_template,
	TP_PROTO(struct inode *inode, struct writeback_control *wbc,
		 unsigned long nr_to_write),
	TP_ARGS(inode, wbc, nr_to_write),
	TP_STRUCT__entry(
		__array(char, name, 32)
		__field(ino_t, ino)
		__field(unsigned long, state)
		__field(unsigned long, dirtied_when)
		__field(unsigned long, writeback_index)
		__field(long, nr_to_write)
		__field(unsigned long, wrote)
		__field(ino_t, cgroup_ino)
	),
	TP_fast_assign(
		trace_bdi_name(__entry->name, inode_to_bdi(inode));
		__entry->ino = inode->i_ino;
		__entry->state = inode->i_state;
		__entry->dirtied_when = inode->dirtied_when;
		__entry->writeback_index = 0;
		__entry->nr_to_write = nr_to_write;
		__entry->wrote = nr_to_write - wbc->nr_to_write;
		__entry->cgroup_ino = WB_CGROUP_INO;
	),
	TP_printk("bdi %s: ino=%lu state=%s dirtied_when=%lu age=%lu index=%lu to_write=%ld wrote=%lu cgroup_ino=%lu",
		__entry->name, (unsigned long)__entry->ino,
		show_inode_state(__entry->state), __entry->dirtied_when,
		(jiffies - __entry->dirtied_when) / HZ,
		__entry->writeback_index, __entry->nr_to_write,
		__entry->wrote, (unsigned long)__entry->cgroup_ino)
);

DEFINE_EVENT(writeback_single_inode_template, writeback_single_inode_start,
	TP_PROTO(struct inode *inode, struct writeback_control *wbc,
		 unsigned long nr_to_write),
	TP_ARGS(inode, wbc, nr_to_write)
);

DEFINE_EVENT(writeback_single_inode_template, writeback_single_inode,
	TP_PROTO(struct inode *inode, struct writeback_control *wbc,
		 unsigned long nr_to_write),
	TP_ARGS(inode, wbc, nr_to_write)
);

DECLARE_EVENT_CLASS(writeback_inode_template,
	TP_PROTO(struct inode *inode),
	TP_ARGS(inode),
	TP_STRUCT__entry(
		__field(dev_t, dev)
		__field(ino_t, ino)
		__field(unsigned long, state)
		__field(__u16, mode)
		__field(unsigned long, dirtied_when)
	),
	TP_fast_assign(
		__entry->dev = inode->i_sb->s_dev;
		__entry->ino = inode->i_ino;
		__entry->state = inode->i_state;
		__entry->mode = inode->i_mode;
		__entry->dirtied_when = inode->dirtied_when;
	),
	TP_printk("dev %d,%d ino %lu dirtied %lu state %s mode 0%o",
		MAJOR(__entry->dev), MINOR(__entry->dev),
		(unsigned long)__entry->ino, __entry->dirtied_when,
		show_inode_state(__entry->state), __entry->mode)
);

DEFINE_EVENT(writeback_inode_template, writeback_dirty_inode_enqueue,
	TP_PROTO(struct inode *inode),
	TP_ARGS(inode)
);

#endif

#include <trace/define_trace.h>
