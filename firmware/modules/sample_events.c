/* SPDX-License-Identifier: GPL-2.0-only */
/* A module with events of its own. */
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/sched.h>

#define CREATE_TRACE_POINTS
#include "sample_events.h"

static unsigned long rounds;

static void sample_fill_basket(int number)
{
	trace_sample_basket(current->comm, number, number % NR_SAMPLE_FRUITS,
			    number & (SAMPLE_RIPE | SAMPLE_WASHED));
	trace_sample_lists(number, &current->cpus_mask);
	trace_sample_even(number);
}

static void sample_round(void)
{
	trace_sample_round_begin(rounds);
	sample_fill_basket(rounds++);
	trace_sample_round_end(rounds);
}

/* Written to /sys/module/sample_events/parameters/rounds: so many, now. */
static int rounds_set(const char *val, const struct kernel_param *kp)
{
	unsigned long more;
	int err = kstrtoul(val, 0, &more);

	if (err)
		return err;
	while (more--)
		sample_round();
	return 0;
}

static int rounds_get(char *buffer, const struct kernel_param *kp)
{
	return param_ops_ulong.get(buffer, kp);
}

static const struct kernel_param_ops rounds_ops = {
	.set = rounds_set,
	.get = rounds_get,
};
__module_param(rounds, rounds, rounds_ops, "ulong", 0644);
MODULE_PARM_DESC(rounds, "has so many rounds of events when it is written; reads how many there were");

static int __init sample_events_init(void)
{
	return 0;
}
module_init(sample_events_init);

static void __exit sample_events_exit(void)
{
}
module_exit(sample_events_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("emu");
MODULE_DESCRIPTION("Has events of its own");
