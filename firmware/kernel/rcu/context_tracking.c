/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which CPUs are idle and read nothing: a count per CPU that is odd while RCU
 * has to watch it. Entry code of sorts, so not traced.
 */
#include <linux/context_tracking.h>
#include <linux/percpu.h>
#include "rcu.h"

struct context_tracking {
	unsigned int state;
	unsigned int irq_nesting;	/* interrupts that began while idle */
	struct lock_release idle_since;	/* for those who look from elsewhere */
};

static DEFINE_PER_CPU(struct context_tracking, context_tracking) = {
	.state = 1,
};

static __always_inline void ct_count(struct context_tracking *ct)
{
	smp_store_release(&ct->state, ct->state + 1);
}

static __always_inline void ct_kernel_exit_state(struct context_tracking *ct)
{
	note_release(&ct->idle_since);
	ct_count(ct);
}

noinstr void ct_idle_enter(void)
{
	ct_kernel_exit_state(this_cpu_ptr(&context_tracking));
}

noinstr void ct_idle_exit(void)
{
	ct_count(this_cpu_ptr(&context_tracking));
}

noinstr void ct_irq_enter(void)
{
	struct context_tracking *ct = this_cpu_ptr(&context_tracking);

	if (!(ct->state & 1))
		ct_count(ct);
	else if (!ct->irq_nesting)
		return;
	ct->irq_nesting++;
}

noinstr void ct_irq_exit(void)
{
	struct context_tracking *ct = this_cpu_ptr(&context_tracking);

	if (ct->irq_nesting && !--ct->irq_nesting)
		ct_kernel_exit_state(ct);
}

noinstr unsigned int ct_dynticks(void)
{
	return this_cpu_ptr(&context_tracking)->state;
}

noinstr unsigned int ct_irq_nesting(void)
{
	return this_cpu_ptr(&context_tracking)->irq_nesting;
}

/* What @cpu was idle for, it was before this one's present time. */
noinstr unsigned int rcu_dynticks_snap(int cpu)
{
	struct context_tracking *ct = per_cpu_ptr(&context_tracking, cpu);
	unsigned int state = smp_load_acquire(&ct->state);

	stall_until_release(&ct->idle_since);
	return state;
}

noinstr bool rcu_dynticks_in_eqs(unsigned int snap)
{
	return !(snap & 1);
}

/* Idle now, or once since @snap was taken while it was not. */
noinstr bool rcu_dynticks_in_eqs_since(int cpu, unsigned int snap)
{
	unsigned int now = rcu_dynticks_snap(cpu);

	return rcu_dynticks_in_eqs(now) || now != snap;
}
