/* SPDX-License-Identifier: GPL-2.0-only */
/* Moving waiting fair tasks from CPUs with many to CPUs with none or few. */
#include <linux/interrupt.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include "sched.h"

/*
 * Jiffies between two attempts of a busy CPU to balance. With more CPUs an
 * attempt takes longer, and more other CPUs balance, too.
 */
#define BALANCE_INTERVAL	max(8U, num_online_cpus())

/* After more failed attempts, the busiest CPU's running task may be moved. */
#define CACHE_NICE_TRIES	1

/* The busiest CPU's weight must be above this percentage of ours. */
#define IMBALANCE_PCT		117

enum cpu_idle_type { CPU_IDLE, CPU_NOT_IDLE, CPU_NEWLY_IDLE };

struct lb_env {
	struct rq *src_rq;
	struct rq *dst_rq;
	int dst_cpu;
	enum cpu_idle_type idle;
	struct cpumask cpus;		/* to take from */
	long imbalance;			/* of weight, or ... */
	unsigned int tasks;		/* ... of tasks, that may be moved */
	struct list_head list;		/* of those detached */
	bool all_pinned;		/* nothing there may run here */
};

/*
 * Of those that have a task to spare: for an idle CPU the one with the most
 * tasks, else the one with the most weight.
 */
static struct rq *find_busiest_queue(struct lb_env *env)
{
	unsigned long load, most = 0;
	struct rq *rq, *busiest = NULL;
	int cpu;

	for_each_cpu(cpu, &env->cpus) {
		rq = cpu_rq(cpu);
		if (!READ_ONCE(rq->cfs.nr_running) ||
		    READ_ONCE(rq->nr_running) < 2)
			continue;
		load = env->idle == CPU_NOT_IDLE ? READ_ONCE(rq->cfs.load) :
						   READ_ONCE(rq->nr_running);
		if (load > most) {
			most = load;
			busiest = rq;
		}
	}
	return busiest;
}

/* What each CPU would have if weight could be divided. */
static unsigned long average_load(void)
{
	unsigned long sum = 0;
	int cpu;

	for_each_online_cpu(cpu)
		sum += READ_ONCE(cpu_rq(cpu)->cfs.load);
	return sum / num_online_cpus();
}

/*
 * An idle CPU takes half the difference in tasks, whatever their weight. A busy
 * CPU takes weight, but neither so much that the busiest CPU falls below the
 * average, nor so much that it rises above the average itself. Returns false if
 * nothing has to be moved.
 */
static bool calculate_imbalance(struct lb_env *env, struct rq *busiest)
{
	unsigned long src = busiest->cfs.load, dst = env->dst_rq->cfs.load;
	unsigned long average;

	if (env->idle != CPU_NOT_IDLE) {
		env->tasks = max_t(int, busiest->nr_running -
					env->dst_rq->nr_running, 0) / 2;
		env->imbalance = LONG_MAX;
		return env->tasks;
	}
	average = average_load();
	if (src <= average || dst >= average ||
	    src * 100 <= dst * IMBALANCE_PCT)
		return false;
	env->tasks = busiest->nr_running - 1;
	env->imbalance = min(src - average, average - dst);
	return true;
}

static bool can_migrate_task(struct task_struct *p, struct lb_env *env)
{
	if (!cpumask_test_cpu(env->dst_cpu, &p->cpus_mask))
		return false;
	env->all_pinned = false;
	return !READ_ONCE(p->on_cpu);
}

/*
 * The longer there has been nothing light enough, the heavier it may be: so
 * that tasks that cannot be shared out evenly take turns.
 */
static bool too_heavy(struct task_struct *p, struct lb_env *env)
{
	unsigned int failed = min(env->dst_rq->nr_balance_failed, 16U);

	return (long)(p->se.weight >> failed) > env->imbalance;
}

static void detach_task(struct task_struct *p, struct lb_env *env)
{
	deactivate_task(env->src_rq, p, DEQUEUE_NOCLOCK);
	set_task_cpu(p, env->dst_cpu);
}

/*
 * Those that would run last there; they are left on env->list, and on no queue.
 * With the source locked.
 */
static unsigned int detach_tasks(struct lb_env *env)
{
	struct rb_node *node, *prev;
	struct task_struct *p;
	unsigned int detached = 0;

	node = rb_last(&env->src_rq->cfs.tasks_timeline.rb_root);
	for (; node && env->tasks && env->imbalance > 0; node = prev) {
		prev = rb_prev(node);
		p = task_of(rb_entry(node, struct sched_entity, run_node));
		if (!can_migrate_task(p, env) || too_heavy(p, env))
			continue;
		detach_task(p, env);
		list_add(&p->rt.run_list, &env->list);
		detached++;
		env->tasks--;
		env->imbalance -= p->se.weight;
		if (env->idle == CPU_NEWLY_IDLE)
			break;
	}
	return detached;
}

static void attach_task(struct rq *rq, struct task_struct *p)
{
	activate_task(rq, p, ENQUEUE_NOCLOCK);
	check_preempt_curr(rq, p, 0);
}

/* Called with interrupts off and no queue locked. */
static void attach_tasks(struct lb_env *env)
{
	struct task_struct *p;

	raw_spin_rq_lock(env->dst_rq);
	update_rq_clock(env->dst_rq);
	while (!list_empty(&env->list)) {
		p = list_first_entry(&env->list, struct task_struct,
				     rt.run_list);
		list_del_init(&p->rt.run_list);
		attach_task(env->dst_rq, p);
	}
	raw_spin_rq_unlock(env->dst_rq);
}

/* Any one of a queue's that runs or is about to; NULL if none may. */
static struct task_struct *detach_one_task(struct lb_env *env)
{
	struct rb_node *node;
	struct task_struct *p;

	node = rb_last(&env->src_rq->cfs.tasks_timeline.rb_root);
	for (; node; node = rb_prev(node)) {
		p = task_of(rb_entry(node, struct sched_entity, run_node));
		if (can_migrate_task(p, env)) {
			detach_task(p, env);
			return p;
		}
	}
	return NULL;
}

/*
 * The busiest CPU's stopper, with preemption off: what ran here is now only
 * waiting.
 */
static int active_load_balance_cpu_stop(void *data)
{
	struct rq *busiest_rq = data;
	struct lb_env env = {
		.src_rq = busiest_rq,
		.dst_cpu = busiest_rq->push_cpu,
		.dst_rq = cpu_rq(busiest_rq->push_cpu),
		.idle = CPU_IDLE,
	};
	struct task_struct *p = NULL;

	raw_spin_lock_irq(&busiest_rq->__lock);
	if (busiest_rq->active_balance && busiest_rq->nr_running > 1) {
		update_rq_clock(busiest_rq);
		p = detach_one_task(&env);
	}
	busiest_rq->active_balance = false;
	raw_spin_rq_unlock(busiest_rq);
	if (p) {
		raw_spin_rq_lock(env.dst_rq);
		update_rq_clock(env.dst_rq);
		attach_task(env.dst_rq, p);
		raw_spin_rq_unlock(env.dst_rq);
	}
	local_irq_enable();
	return 0;
}

/* All that waits there must stay, but perhaps what runs there need not. */
static bool need_active_balance(struct lb_env *env)
{
	struct task_struct *curr = env->src_rq->curr;

	return env->idle != CPU_NOT_IDLE && env->all_pinned &&
	       curr->sched_class == &fair_sched_class &&
	       cpumask_test_cpu(env->dst_cpu, &curr->cpus_mask);
}

/*
 * The CPU whose queue is the source is asked for what it runs itself. Called
 * with interrupts off and no queue locked: it wakes the stopper.
 */
static void start_active_balance(struct lb_env *env)
{
	struct rq *busiest = env->src_rq;
	bool start;

	raw_spin_rq_lock(busiest);
	start = !busiest->active_balance && need_active_balance(env);
	if (start) {
		busiest->active_balance = true;
		busiest->push_cpu = env->dst_cpu;
	}
	raw_spin_rq_unlock(busiest);
	if (!start)
		return;
	env->dst_rq->nr_balance_failed = 0;
	if (!stop_one_cpu_nowait(cpu_of(busiest), active_load_balance_cpu_stop,
				 busiest, &busiest->active_balance_work))
		busiest->active_balance = false;
}

/*
 * Called with interrupts off and no queue locked; locks one at a time. Returns
 * how many tasks were moved.
 */
static __noclone unsigned int load_balance(int this_cpu, struct rq *this_rq,
					   enum cpu_idle_type idle)
{
	struct lb_env env = {
		.dst_cpu = this_cpu,
		.dst_rq = this_rq,
		.idle = idle,
		.cpus = *cpu_online_mask,
		.list = LIST_HEAD_INIT(env.list),
	};
	unsigned int ld_moved = 0;
	bool movable = false;
	struct rq *busiest;

	cpumask_clear_cpu(this_cpu, &env.cpus);
	while (!ld_moved && !movable &&
	       (busiest = find_busiest_queue(&env)) != NULL) {
		env.src_rq = busiest;
		env.all_pinned = true;
		raw_spin_rq_lock(busiest);
		update_rq_clock(busiest);
		if (!calculate_imbalance(&env, busiest)) {
			raw_spin_rq_unlock(busiest);
			break;
		}
		ld_moved = detach_tasks(&env);
		movable = !env.all_pinned || need_active_balance(&env);
		raw_spin_rq_unlock(busiest);
		cpumask_clear_cpu(cpu_of(busiest), &env.cpus);
	}
	if (ld_moved)
		attach_tasks(&env);
	if (ld_moved || !movable) {
		this_rq->nr_balance_failed = 0;
		return ld_moved;
	}
	if (idle != CPU_NEWLY_IDLE &&
	    ++this_rq->nr_balance_failed > CACHE_NICE_TRIES)
		start_active_balance(&env);
	return 0;
}

/*
 * This CPU would go idle. Called with its queue locked and interrupts off; the
 * lock is let go and taken again. 1: there is something to run after all; -1:
 * and not only fair tasks.
 */
int newidle_balance(struct rq *this_rq)
{
	raw_spin_rq_unlock(this_rq);
	load_balance(this_rq->cpu, this_rq, CPU_NEWLY_IDLE);
	raw_spin_rq_lock(this_rq);
	update_rq_clock(this_rq);
	if (this_rq->nr_running != this_rq->cfs.nr_running)
		return -1;
	return this_rq->cfs.nr_running > 0;
}

static void rebalance_domains(struct rq *rq, enum cpu_idle_type idle)
{
	unsigned long flags;

	local_irq_save(flags);
	load_balance(cpu_of(rq), rq, idle);
	local_irq_restore(flags);
}

/* On behalf of the other idle CPUs too: none of them has a tick. */
static void nohz_idle_balance(struct rq *this_rq)
{
	int cpu;

	for_each_online_cpu(cpu) {
		if (need_resched())
			return;
		if (cpu != cpu_of(this_rq) && idle_cpu(cpu))
			rebalance_domains(cpu_rq(cpu), CPU_IDLE);
	}
}

/* SCHED_SOFTIRQ, with interrupts on. */
void run_rebalance_domains(struct softirq_action *h)
{
	struct rq *this_rq = this_rq();
	bool idle = idle_cpu(cpu_of(this_rq));

	rebalance_domains(this_rq, idle ? CPU_IDLE : CPU_NOT_IDLE);
	if (idle)
		nohz_idle_balance(this_rq);
}

static void nohz_csd_func(void *info)
{
	raise_softirq_irqoff(SCHED_SOFTIRQ);
}

static int find_new_ilb(void)
{
	int cpu;

	for_each_online_cpu(cpu)
		if (idle_cpu(cpu))
			return cpu;
	return nr_cpu_ids;
}

static void kick_ilb(void)
{
	int ilb_cpu = find_new_ilb();

	if (ilb_cpu < nr_cpu_ids)
		smp_call_function_single_async(ilb_cpu,
					       &cpu_rq(ilb_cpu)->nohz_csd);
}

/* When idle CPUs may next be asked: with many it takes one of them long. */
static unsigned long nohz_next_balance;

/* An idle CPU has no tick to find out by that it could help. */
static void nohz_balancer_kick(struct rq *rq)
{
	if (rq->nr_running < 2 ||
	    time_before(jiffies, READ_ONCE(nohz_next_balance)))
		return;
	WRITE_ONCE(nohz_next_balance, jiffies + num_online_cpus() / 8);
	kick_ilb();
}

/* From the tick, with interrupts off and no queue locked. */
void trigger_load_balance(struct rq *rq)
{
	if (time_after_eq(jiffies, rq->next_balance)) {
		rq->next_balance = jiffies + BALANCE_INTERVAL;
		raise_softirq_irqoff(SCHED_SOFTIRQ);
	}
	nohz_balancer_kick(rq);
}

void init_balance(struct rq *rq)
{
	rq->nohz_csd.func = nohz_csd_func;
}
