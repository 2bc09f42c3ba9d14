/* SPDX-License-Identifier: GPL-2.0-only */
/* Out of memory: the program that has the most is killed. */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/oom.h>
#include <linux/oops.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/swap.h>
#include <linux/writeback.h>

#define CREATE_TRACE_POINTS
#include <trace/events/oom.h>

#define K(pages)	((pages) << (PAGE_SHIFT - 10))

/* One victim at a time. */
static DEFINE_SPINLOCK(oom_lock);

/*
 * The leader may have ended before its threads: any one that has the memory,
 * with its alloc_lock held. With tasklist_lock held, or a reference.
 */
static struct task_struct *find_lock_task_mm(struct task_struct *p)
{
	struct task_struct *t;

	for_each_thread(p, t) {
		task_lock(t);
		if (t->mm)
			return t;
		task_unlock(t);
	}
	return NULL;
}

static bool oom_unkillable_task(struct task_struct *p)
{
	return p->pid == 1 || p->flags & PF_KTHREAD;
}

long oom_badness(struct task_struct *p, unsigned long totalpages)
{
	long points, adj = p->signal->oom_score_adj;

	if (oom_unkillable_task(p) || adj == OOM_SCORE_ADJ_MIN)
		return LONG_MIN;
	p = find_lock_task_mm(p);
	if (!p)
		return LONG_MIN;
	points = get_mm_rss(p->mm) + p->mm->nr_ptes;
	task_unlock(p);
	return points + adj * (long)(totalpages / 1000);
}

/* The worst, referenced; ERR_PTR(-EBUSY): one is dying already. */
static struct task_struct *select_bad_process(void)
{
	unsigned long totalpages = totalram_pages();
	struct task_struct *p, *chosen = NULL;
	long points, most = LONG_MIN;

	spin_lock(&tasklist_lock);
	for_each_process(p) {
		points = oom_badness(p, totalpages);
		if (points == LONG_MIN)
			continue;
		if (p->signal->oom_victim) {
			chosen = ERR_PTR(-EBUSY);
			break;
		}
		if (points > most) {
			most = points;
			chosen = p;
		}
	}
	if (!IS_ERR_OR_NULL(chosen))
		get_task_struct(chosen);
	spin_unlock(&tasklist_lock);
	return chosen;
}

static void dump_tasks(void)
{
	struct task_struct *p, *t;

	pr_info("Tasks state (memory values in pages):\n");
	pr_info("[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name\n");
	spin_lock(&tasklist_lock);
	for_each_process(p) {
		if (oom_unkillable_task(p))
			continue;
		t = find_lock_task_mm(p);
		if (!t)
			continue;
		pr_info("[%7d] %5d %5d %8lu %8lu %8lu %8d         %5d %s\n",
			t->pid, 0, t->tgid, t->mm->total_vm,
			get_mm_rss(t->mm), t->mm->nr_ptes * PAGE_SIZE, 0,
			t->signal->oom_score_adj, t->comm);
		task_unlock(t);
	}
	spin_unlock(&tasklist_lock);
}

static const char *gfp_name(gfp_t gfp)
{
	switch (gfp & ~__GFP_ZERO) {
	case GFP_KERNEL:
		return "GFP_KERNEL";
	case GFP_NOFS:
		return "GFP_NOFS";
	case GFP_HIGHUSER_MOVABLE:
		return "GFP_HIGHUSER_MOVABLE";
	default:
		return "GFP_NOIO";
	}
}

static void add_slab(void *arg, const struct slabinfo *info)
{
	*(unsigned long *)arg += info->num_slabs << info->cache_order;
}

/* Where the pages are; those of programs follow task by task. */
static void show_mem(void)
{
	unsigned long slab = 0;

	for_each_slabinfo(add_slab, &slab);
	pr_info("Mem-Info:\n");
	pr_info(" dirty:%lu writeback:%lu\n", nr_dirty_pages(),
		nr_writeback_pages());
	pr_info(" slab:%lu free:%lu\n", slab, nr_free_pages());
	pr_info("%lu reclaimable pagecache pages\n", nr_clean_pages());
	pr_info("%lu pages RAM\n", max_pfn);
	pr_info("%lu pages reserved\n", max_pfn - totalram_pages());
}

static void dump_header(gfp_t gfp, unsigned int order)
{
	pr_warn("%s invoked oom-killer: gfp_mask=%#x(%s%s), order=%u, oom_score_adj=%d\n",
		current->comm, gfp, gfp_name(gfp),
		gfp & __GFP_ZERO ? "|__GFP_ZERO" : "", order,
		current->signal->oom_score_adj);
	dump_stack();
	show_mem();
	dump_tasks();
}

static void __oom_kill_process(struct task_struct *victim, const char *message)
{
	struct task_struct *p = find_lock_task_mm(victim);
	struct mm_struct *mm;

	if (!p)
		return;
	mm = p->mm;
	victim->signal->oom_victim = true;
	trace_mark_victim(p, 0);
	pr_err("%s: Killed process %d (%s) total-vm:%lukB, anon-rss:%lukB, file-rss:%lukB, shmem-rss:%lukB, UID:%u pgtables:%lukB oom_score_adj:%d\n",
	       message, victim->tgid, victim->comm, K(mm->total_vm),
	       K(mm->rss_anon), K(mm->rss_file), 0UL, 0,
	       (mm->nr_ptes * PAGE_SIZE) >> 10,
	       victim->signal->oom_score_adj);
	task_unlock(p);
	spin_lock(&tasklist_lock);
	do_send_sig_info(SIGKILL, SEND_SIG_PRIV, victim, PIDTYPE_TGID);
	spin_unlock(&tasklist_lock);
}

static void oom_kill_process(struct task_struct *victim, gfp_t gfp,
			     unsigned int order)
{
	dump_header(gfp, order);
	pr_info("oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task_memcg=/,task=%s,pid=%d,uid=%d\n",
		victim->comm, victim->pid, 0);
	__oom_kill_process(victim, "Out of memory");
}

/*
 * Takes oom_lock, then tasklist_lock: called with no spinlock held. True: a
 * victim is going to free memory.
 */
bool out_of_memory(gfp_t gfp, unsigned int order)
{
	struct task_struct *victim;

	/* Whoever has it kills for all of us. */
	if (!spin_trylock(&oom_lock))
		return true;
	victim = select_bad_process();
	if (!IS_ERR_OR_NULL(victim)) {
		oom_kill_process(victim, gfp, order);
		put_task_struct(victim);
	}
	spin_unlock(&oom_lock);
	return victim != NULL;
}

void pagefault_out_of_memory(void)
{
	if (fatal_signal_pending(current))
		return;
	if (!out_of_memory(GFP_HIGHUSER_MOVABLE, 0))
		force_sig(SIGKILL);
	schedule_timeout_uninterruptible(1);
}
