/* SPDX-License-Identifier: GPL-2.0-only */
/* What futexes are known by, and where their sleepers queue. */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include "futex.h"

#define FUTEX_HASH_BITS	8

static struct futex_hash_bucket futex_queues[1 << FUTEX_HASH_BITS];

static int __init futex_init(void)
{
	for (int i = 0; i < ARRAY_SIZE(futex_queues); i++) {
		spin_lock_init(&futex_queues[i].lock);
		INIT_LIST_HEAD(&futex_queues[i].chain);
	}
	return 0;
}
core_initcall(futex_init);

struct futex_hash_bucket *futex_hash(const struct futex_key *key)
{
	/*
	 * Not by where structures lie: order in a bucket must not depend on
	 * it, nor must anybody's waiting.
	 */
	unsigned long hash = (key->word >> 2) + key->offset;

	hash *= 0x9e3779b97f4a7c15UL;
	return &futex_queues[hash >> (64 - FUTEX_HASH_BITS)];
}

bool futex_match(const struct futex_key *a, const struct futex_key *b)
{
	return a->word == b->word && a->owner == b->owner &&
	       a->offset == b->offset;
}

/* The page behind a word that may be written, referenced. */
static struct page *get_futex_page(unsigned long address)
{
	struct mm_struct *mm = current->mm;
	struct page *page;
	long got;

	mmap_read_lock(mm);
	got = get_user_pages_remote(mm, address & PAGE_MASK, 1, FOLL_WRITE,
				    &page);
	mmap_read_unlock(mm);
	return got == 1 ? page : NULL;
}

static bool in_shared_mapping(unsigned long address)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	bool shared;

	mmap_read_lock(mm);
	vma = find_vma(mm, address);
	shared = vma && vma->vm_start <= address && vma->vm_flags & VM_SHARED;
	mmap_read_unlock(mm);
	return shared;
}

int get_futex_key(u32 __user *uaddr, bool shared, struct futex_key *key)
{
	unsigned long address = (unsigned long)uaddr;
	struct page *page;

	if (address % sizeof(u32))
		return -EINVAL;
	if (!access_ok(uaddr, sizeof(u32)) || !current->mm)
		return -EFAULT;
	if (!shared || !in_shared_mapping(address)) {
		key->word = address;
		key->owner = current->mm;
		key->offset = 0;
		return 0;
	}
	page = get_futex_page(address);
	if (!page)
		return -EFAULT;
	key->word = page_to_pfn(page) << PAGE_SHIFT;
	key->owner = NULL;
	key->offset = offset_in_page(address);
	return 0;
}

void get_futex_key_ref(const struct futex_key *key)
{
	if (!key->owner)
		get_page(pfn_to_page(key->word >> PAGE_SHIFT));
}

void put_futex_key(struct futex_key *key)
{
	if (!key->owner)
		put_page(pfn_to_page(key->word >> PAGE_SHIFT));
}

void double_lock_hb(struct futex_hash_bucket *a, struct futex_hash_bucket *b)
{
	if (a > b)
		swap(a, b);
	spin_lock(&a->lock);
	if (a != b)
		spin_lock(&b->lock);
}

void double_unlock_hb(struct futex_hash_bucket *a,
		      struct futex_hash_bucket *b)
{
	spin_unlock(&a->lock);
	if (a != b)
		spin_unlock(&b->lock);
}

int futex_cmpxchg_value(u32 *curval, u32 __user *uaddr, u32 old, u32 new)
{
	struct page *page = get_futex_page((unsigned long)uaddr);
	u32 *word;

	if (!page)
		return -EFAULT;
	word = (u32 *)((char *)page_address(page) + offset_in_page(uaddr));
	*curval = cmpxchg(word, old, new);
	put_page(page);
	return 0;
}
