/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of what an allocation allows. Flags that nobody here asks for are
 * spelled here; all others, and the sets of them, are <linux/gfp.h>'s.
 */
#ifndef _TRACE_GFPFLAGS_H
#define _TRACE_GFPFLAGS_H

#include <linux/gfp.h>

#define __GFP_DMA		((__force gfp_t)0x01u)
#define __GFP_DMA32		((__force gfp_t)0x04u)
#define __GFP_RECLAIMABLE	((__force gfp_t)0x10u)
#define __GFP_WRITE		((__force gfp_t)0x1000u)
#define __GFP_NOWARN		((__force gfp_t)0x2000u)
#define __GFP_RETRY_MAYFAIL	((__force gfp_t)0x4000u)
#define __GFP_NOFAIL		((__force gfp_t)0x8000u)
#define __GFP_NORETRY		((__force gfp_t)0x10000u)
#define __GFP_MEMALLOC		((__force gfp_t)0x20000u)
#define __GFP_COMP		((__force gfp_t)0x40000u)
#define __GFP_NOMEMALLOC	((__force gfp_t)0x80000u)
#define __GFP_THISNODE		((__force gfp_t)0x200000u)
#define __GFP_ACCOUNT		((__force gfp_t)0x400000u)
#define __GFP_ZEROTAGS		((__force gfp_t)0x800000u)

#define GFP_NOWAIT		(__GFP_KSWAPD_RECLAIM)
#define GFP_KERNEL_ACCOUNT	(GFP_KERNEL | __GFP_ACCOUNT)
#define GFP_DMA			__GFP_DMA
#define GFP_DMA32		__GFP_DMA32
#define GFP_TRANSHUGE_LIGHT						\
	((GFP_HIGHUSER_MOVABLE | __GFP_COMP | __GFP_NOMEMALLOC |	\
	  __GFP_NOWARN) & ~__GFP_RECLAIM)
#define GFP_TRANSHUGE		(GFP_TRANSHUGE_LIGHT | __GFP_DIRECT_RECLAIM)

#define __gfp_name(flag)	{(__force unsigned long)flag, #flag}

/* The sets come first: the largest that fits is named, then what is left. */
#define __gfp_names							\
	__gfp_name(GFP_TRANSHUGE), __gfp_name(GFP_TRANSHUGE_LIGHT),	\
	__gfp_name(GFP_HIGHUSER_MOVABLE), __gfp_name(GFP_HIGHUSER),	\
	__gfp_name(GFP_USER), __gfp_name(GFP_KERNEL_ACCOUNT),		\
	__gfp_name(GFP_KERNEL), __gfp_name(GFP_NOFS),			\
	__gfp_name(GFP_ATOMIC), __gfp_name(GFP_NOIO),			\
	__gfp_name(GFP_NOWAIT), __gfp_name(GFP_DMA),			\
	__gfp_name(__GFP_HIGHMEM), __gfp_name(GFP_DMA32),		\
	__gfp_name(__GFP_HIGH), __gfp_name(__GFP_ATOMIC),		\
	__gfp_name(__GFP_IO), __gfp_name(__GFP_FS),			\
	__gfp_name(__GFP_NOWARN), __gfp_name(__GFP_RETRY_MAYFAIL),	\
	__gfp_name(__GFP_NOFAIL), __gfp_name(__GFP_NORETRY),		\
	__gfp_name(__GFP_COMP), __gfp_name(__GFP_ZERO),			\
	__gfp_name(__GFP_NOMEMALLOC), __gfp_name(__GFP_MEMALLOC),	\
	__gfp_name(__GFP_HARDWALL), __gfp_name(__GFP_THISNODE),		\
	__gfp_name(__GFP_RECLAIMABLE), __gfp_name(__GFP_MOVABLE),	\
	__gfp_name(__GFP_ACCOUNT), __gfp_name(__GFP_WRITE),		\
	__gfp_name(__GFP_RECLAIM), __gfp_name(__GFP_DIRECT_RECLAIM),	\
	__gfp_name(__GFP_KSWAPD_RECLAIM), __gfp_name(__GFP_ZEROTAGS)

#define show_gfp_flags(flags)						\
	(flags) ? __print_flags(flags, "|", __gfp_names ) : "none"

#endif
