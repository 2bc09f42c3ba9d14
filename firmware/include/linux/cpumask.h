/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets of CPUs. */
#ifndef _LINUX_CPUMASK_H
#define _LINUX_CPUMASK_H

#include <linux/bitops.h>
#include <linux/threads.h>

typedef struct cpumask { DECLARE_BITMAP(bits, NR_CPUS); } cpumask_t;

extern struct cpumask __cpu_possible_mask, __cpu_online_mask;
extern unsigned int nr_cpu_ids;

#define cpu_possible_mask	((const struct cpumask *)&__cpu_possible_mask)
#define cpu_online_mask		((const struct cpumask *)&__cpu_online_mask)

#define cpumask_test_cpu(cpu, mask)	test_bit(cpu, (mask)->bits)
#define cpumask_set_cpu(cpu, mask)	set_bit(cpu, (mask)->bits)
#define cpumask_clear_cpu(cpu, mask)	clear_bit(cpu, (mask)->bits)
#define cpumask_clear(mask)		((void)(*(mask) = (struct cpumask){}))
#define cpumask_copy(dst, src)		((void)(*(dst) = *(src)))
#define cpumask_empty(mask) \
	(find_next_bit((mask)->bits, nr_cpu_ids, 0) >= nr_cpu_ids)
#define cpumask_next(n, mask) \
	find_next_bit((mask)->bits, nr_cpu_ids, (n) + 1)
#define cpumask_first(mask)	find_next_bit((mask)->bits, nr_cpu_ids, 0)

#define for_each_cpu(cpu, mask)			\
	for (cpu = cpumask_first(mask);		\
	     cpu < nr_cpu_ids;			\
	     cpu = cpumask_next(cpu, mask))

#define for_each_possible_cpu(cpu)	for_each_cpu(cpu, cpu_possible_mask)
#define for_each_online_cpu(cpu)	for_each_cpu(cpu, cpu_online_mask)

static inline unsigned int num_online_cpus(void)
{
	unsigned int cpu, n = 0;

	for_each_online_cpu(cpu)
		n++;
	return n;
}

#define cpu_online(cpu)			cpumask_test_cpu(cpu, cpu_online_mask)

#endif
