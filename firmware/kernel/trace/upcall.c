/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that the host has CPUs run. Tracing may be half switched when it
 * does, so nothing here is traced.
 */
#include <linux/compiler.h>
#include <linux/upcall.h>
#include <emu/hostcall.h>
#include <asm/processor.h>

/*
 * In UPCALL_VECTOR's interrupt, with interrupts off. The functions neither
 * sleep nor take locks.
 */
noinstr void run_upcalls(void)
{
	struct upcall call;

	while (hostcall1(HC_UPCALL_NEXT, &call) > 0) {
		u64 (*function)(u64) = (u64 (*)(u64))call.function;

		hostcall1(HC_UPCALL_DONE, function(call.argument));
	}
}

/* From here on the CPU runs code as it is in memory. */
noinstr u64 upcall_sync_core(u64 arg)
{
	sync_core();
	return 0;
}

/*
 * Every CPU increments `arrived` and waits here with interrupts off, while the
 * host changes code that no CPU may execute meanwhile. Who goes on runs code as
 * it is in memory.
 * @arg: struct upcall_stop.
 */
noinstr u64 upcall_stop_machine(u64 arg)
{
	struct upcall_stop *stop = (struct upcall_stop *)arg;

	__atomic_fetch_add(&stop->arrived, 1, __ATOMIC_SEQ_CST);
	while (!READ_ONCE(stop->released))
		cpu_relax();
	sync_core();
	return 0;
}
