/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages, areas of address spaces, address spaces. */
#ifndef _LINUX_MM_TYPES_H
#define _LINUX_MM_TYPES_H

#include <linux/types.h>
#include <linux/list.h>
#include <linux/atomic.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/cpumask.h>
#include <asm/mmu.h>
#include <asm/page.h>
#include <asm/pgtable_types.h>

struct file;
struct address_space;
struct kmem_cache;
struct vm_fault;

enum pageflags {
	PG_buddy,		/* head of a free block */
	PG_slab,
	PG_frozen,		/* slab: its free objects are a CPU's */
	PG_locked,
	PG_uptodate,
	PG_dirty,
	PG_writeback,		/* its I/O is under way */
	PG_error,		/* ... or has failed */
	PG_private,		/* page->private is in use */
	PG_checked,		/* a directory's: it makes sense */
	PG_referenced,		/* used since reclaim last saw it */
	PG_lru,			/* reclaim may take it */
	PG_anon,		/* a process's own, not a file's */
	PG_arch_1,		/* no CPU holds translations of old contents */
};

/* One page of RAM. Zero is a valid state, so vmemmap needs no set-up. */
struct page {
	unsigned long flags;
	atomic_t _refcount;
	unsigned int order;			/* of a free or slab block */
	struct list_head lru;			/* free list, or slab list */
	union {
		struct {			/* page cache */
			struct address_space *mapping;
			pgoff_t index;
			void *private;		/* its buffers */
		};
		struct {			/* slab, in its head page */
			struct kmem_cache *slab_cache;
			void *freelist;
		};
		struct page *compound_head;	/* slab, in its other pages */
	};
	unsigned int inuse;			/* slab objects in use */
	struct lock_release unlocked;		/* when PG_locked was cleared */
};

struct vm_operations_struct {
	vm_fault_t (*fault)(struct vm_fault *vmf);
	/* A page of the file, read-only so far, is about to be written. */
	vm_fault_t (*page_mkwrite)(struct vm_fault *vmf);
};

struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_end;		/* the first byte after */
	struct mm_struct *vm_mm;
	struct list_head vm_node;	/* in mm->mmap, by address */
	unsigned long vm_flags;
	pgprot_t vm_page_prot;
	const struct vm_operations_struct *vm_ops;	/* NULL: anonymous */
	pgoff_t vm_pgoff;		/* in pages */
	struct file *vm_file;
	struct list_head shared;	/* in its mapping's i_mmap */
	bool anon_vma;			/* may hold pages of its own */
};

struct xol_area;

/* Of probes in the programs that run in an address space. */
struct uprobes_state {
	struct xol_area *xol_area;	/* copies of instructions */
	bool has_uprobes;		/* there are breakpoints, or were */
	bool forking;			/* it is not complete yet */
};

struct mm_struct {
	struct list_head mmap;
	int map_count;
	pgd_t *pgd;
	atomic_t mm_users;		/* tasks; at 0 the areas go */
	atomic_t mm_count;		/* users count 1; at 0 it is freed */
	struct rw_semaphore mmap_lock;
	spinlock_t page_table_lock;
	unsigned long total_vm;
	unsigned long hiwater_vm;	/* the most it ever was */
	unsigned long rss_anon;		/* pages mapped, under page_table_lock */
	unsigned long rss_file;
	unsigned long hiwater_rss;	/* the most that both ever were */
	unsigned long nr_ptes;		/* pages of page tables */
	unsigned long start_code, end_code, start_data, end_data;
	unsigned long start_brk, brk, start_stack;
	unsigned long arg_start, arg_end, env_start, env_end;
	struct uprobes_state uprobes_state;
	mm_context_t context;
	struct cpumask cpu_bitmap;	/* CPUs that may hold translations */
};

#endif
