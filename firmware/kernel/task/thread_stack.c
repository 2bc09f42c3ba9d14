/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel stacks. The page below each is not mapped, so that an overflow is a
 * fault and not damage. They are cut from chunks of the size that the direct
 * map maps by one large page, and such a chunk is never anything else again:
 * all other memory keeps its large pages, and a fork rarely unmaps anything.
 */
#include <linux/init.h>
#include <linux/init_task.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/sched/task_stack.h>
#include <linux/set_memory.h>
#include <linux/spinlock.h>
#include <linux/tlbflush.h>

#define CHUNK_ORDER	(DIRECT_MAP_SHIFT - PAGE_SHIFT)
#define CHUNK_SIZE	(1UL << DIRECT_MAP_SHIFT)
#define SLOT_SIZE	(PAGE_SIZE + THREAD_SIZE)	/* guard and stack */
#define SLOTS		(CHUNK_SIZE / SLOT_SIZE)

/* Linked through the stacks themselves. */
static LIST_HEAD(free_stacks);
static DEFINE_SPINLOCK(free_stacks_lock);

static void *first_free_stack(void)
{
	struct list_head *stack = NULL;

	spin_lock(&free_stacks_lock);
	if (!list_empty(&free_stacks)) {
		stack = free_stacks.next;
		list_del(stack);
	}
	spin_unlock(&free_stacks_lock);
	return stack;
}

/* The one used last comes first: more of it is in the caches. */
void free_thread_stack(void *stack)
{
	spin_lock(&free_stacks_lock);
	list_add(stack, &free_stacks);
	spin_unlock(&free_stacks_lock);
}

static int add_stack_chunk(void)
{
	struct page *chunk = alloc_pages(GFP_KERNEL, CHUNK_ORDER);
	unsigned long start, slot, last;
	int err;

	if (!chunk)
		return -ENOMEM;
	start = (unsigned long)page_address(chunk);
	last = start + (SLOTS - 1) * SLOT_SIZE;
	for (slot = start; slot <= last; slot += SLOT_SIZE) {
		err = set_direct_map_invalid_noflush(virt_to_page(slot));
		if (err) {
			/* It was the first: nothing has changed. */
			__free_pages(chunk, CHUNK_ORDER);
			return err;
		}
	}
	flush_tlb_kernel_range(start, start + CHUNK_SIZE);
	for (slot = last; slot >= start; slot -= SLOT_SIZE)
		free_thread_stack((void *)(slot + PAGE_SIZE));
	return 0;
}

void *alloc_thread_stack_node(void)
{
	void *stack = first_free_stack();

	if (!stack && !add_stack_chunk())
		stack = first_free_stack();
	return stack;
}

/* The stack on which CPU 0 booted is in the image, as is its guard. */
void __init thread_stack_init(void)
{
	unsigned long guard = (unsigned long)__va(__pa(init_stack)) - PAGE_SIZE;

	if (set_direct_map_invalid_noflush(virt_to_page(guard)))
		panic("no memory for the guard of the first stack");
	flush_tlb_kernel_range(guard, guard + PAGE_SIZE);
}
