/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For the study of races: on each CPU a thread and the handler of NMIs call
 * the functions that the host chooses. Their call sites lie where instruction
 * fetch may see half of a change (arch/.../sites.S). CPUs share nothing here.
 */
#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/moduleloader.h>
#include <linux/nmi.h>
#include <linux/set_memory.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <emu/race_lab.h>
#include <asm/cacheflush.h>
#include <asm/processor.h>
#include "race_lab.h"

/* The host writes to it. */
struct race_lab_cpu race_lab_cpus[NR_CPUS];

/*
 * So much that it does not lie close behind the module: the displacement of a
 * call then differs from a nop in each byte.
 */
#define TRAMPOLINE_ROOM		(256UL << 10)
#define TRAMPOLINE_OFFSET	0xa50

/* The host's: where the trampoline is, or NULL; whether who is in it stays. */
void *race_lab_trampoline;
u32 race_lab_hold = 1;

/* An architecture may have a trampoline; this is for those that have none. */
__attribute__((weak)) const struct race_lab_template race_lab_template;

static void *trampoline_room;
static struct task_struct *threads[NR_CPUS];

notrace void race_lab_rest(void)
{
	cpu_relax();
}

notrace void race_lab_leave(void)
{
	while (!kthread_should_stop())
		schedule();
	kthread_exit(0);
}

notrace void race_lab_free(void)
{
	module_memfree(trampoline_room);
	trampoline_room = NULL;
	WRITE_ONCE(race_lab_trampoline, NULL);
	cpu_relax();
}

/* In the interrupt of an upcall. */
notrace u64 race_lab_interrupt(u64 visit)
{
	((void (*)(void))visit)();
	return 0;
}

static int race_lab_make_trampoline(void)
{
	unsigned long size = race_lab_template.size;
	void *code;
	int err;

	if (!size)
		return 0;
	trampoline_room = module_alloc(TRAMPOLINE_ROOM);
	if (!trampoline_room)
		return -ENOMEM;
	code = trampoline_room + TRAMPOLINE_OFFSET;
	memcpy(code, race_lab_template.code, size);
	flush_icache_range((unsigned long)code, (unsigned long)code + size);
	err = set_memory_ro((unsigned long)trampoline_room, 1);
	if (!err)
		err = set_memory_x((unsigned long)trampoline_room, 1);
	race_lab_trampoline = code;
	return err;
}

static notrace int race_lab_nmi(unsigned int type, struct pt_regs *regs)
{
	u64 visit = READ_ONCE(race_lab_cpus[smp_processor_id()].nmi_visit);

	if (!visit)
		return NMI_DONE;
	((void (*)(void))visit)();
	return NMI_HANDLED;
}

static void race_lab_stop(void)
{
	for (unsigned int cpu = 0; cpu < nr_cpu_ids; cpu++) {
		if (!threads[cpu])
			continue;
		WRITE_ONCE(race_lab_cpus[cpu].visit, (u64)race_lab_leave);
		kthread_stop(threads[cpu]);
	}
}

static int race_lab_start(void)
{
	for (unsigned int cpu = 0; cpu < nr_cpu_ids; cpu++) {
		struct race_lab_cpu *data = &race_lab_cpus[cpu];
		struct task_struct *thread;

		if (!cpu_online(cpu))
			continue;
		data->visit = (u64)race_lab_rest;
		thread = kthread_create_on_cpu(race_lab_thread, data, cpu,
					       "race_lab/%u");
		if (IS_ERR(thread)) {
			race_lab_stop();
			return PTR_ERR(thread);
		}
		threads[cpu] = thread;
		wake_up_process(thread);
	}
	return 0;
}

static int __init race_lab_init(void)
{
	int err = register_nmi_handler(NMI_LOCAL, race_lab_nmi, 0, "race_lab");

	if (err)
		return err;
	err = race_lab_make_trampoline();
	if (!err)
		err = race_lab_start();
	if (err) {
		unregister_nmi_handler(NMI_LOCAL, "race_lab");
		race_lab_free();
	}
	return err;
}
module_init(race_lab_init);

static void __exit race_lab_exit(void)
{
	race_lab_stop();
	unregister_nmi_handler(NMI_LOCAL, "race_lab");
	race_lab_free();
}
module_exit(race_lab_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("emu");
MODULE_DESCRIPTION("CPUs that call the sites that the host chooses");
