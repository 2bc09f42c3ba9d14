/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM pagemap

#if !defined(_TRACE_PAGEMAP_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_PAGEMAP_H

#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/swap.h>
#include <linux/tracepoint.h>

#define PAGEMAP_MAPPED		0x0001u
#define PAGEMAP_ANONYMOUS	0x0002u
#define PAGEMAP_FILE		0x0004u
#define PAGEMAP_SWAPCACHE	0x0008u
#define PAGEMAP_SWAPBACKED	0x0010u
#define PAGEMAP_MAPPEDDISK	0x0020u
#define PAGEMAP_BUFFERS		0x0040u

/* Here only pages of files are in a list, and are put there unmapped. */
#define trace_pagemap_flags(page)					\
	(PAGEMAP_FILE | (PagePrivate(page) ? PAGEMAP_BUFFERS : 0))

TRACE_EVENT(mm_lru_insertion,
	TP_PROTO(struct page *page),
	TP_ARGS(page),
	TP_STRUCT__entry(
		__field(struct folio *, folio)
		__field(unsigned long, pfn)
		__field(enum lru_list, lru)
		__field(unsigned long, flags)
	),
	TP_fast_assign(
		__entry->folio = (struct folio *)page;
		__entry->pfn = page_to_pfn(page);
		__entry->lru = LRU_INACTIVE_FILE;
		__entry->flags = trace_pagemap_flags(page);
	),
	TP_printk("folio=%p pfn=0x%lx lru=%d flags=%s%s%s%s%s%s",
		__entry->folio, __entry->pfn, __entry->lru,
		__entry->flags & PAGEMAP_MAPPED		? "M" : " ",
		__entry->flags & PAGEMAP_ANONYMOUS	? "a" : "f",
		__entry->flags & PAGEMAP_SWAPCACHE	? "s" : " ",
		__entry->flags & PAGEMAP_SWAPBACKED	? "b" : " ",
		__entry->flags & PAGEMAP_MAPPEDDISK	? "d" : " ",
		__entry->flags & PAGEMAP_BUFFERS	? "B" : " ")
);

#endif

#include <trace/define_trace.h>
