/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fault KIND [ADDRESS]: does what a user program must not, and so is killed by
 * the signal of that kind. That it lives to return is the failure.
 */
#include <err.h>
#include <fault.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Below where any program is linked. */
#define UNMAPPED	0x10000UL

static void write_unmapped(void)
{
	*(volatile int *)UNMAPPED = 1;
}

static unsigned long address = ARCH_KERNEL_ADDRESS;

static void read_kernel(void)
{
	(void)*(volatile int *)address;
}

/* Deep enough to need memory, wherever calls are kept. */
#define CALLS	100

static void call_on(void)
{
	static volatile int depth;

	if (++depth < CALLS)
		call_on();
	--depth;
}

static void use_as_stack(void)
{
	arch_call_on(address, call_on);
}

static const struct timespec a_moment = { .tv_nsec = 1000000 };

/* Where calls are kept in registers, it is the kernel that needs the memory. */
static void sleep_twice(void)
{
	nanosleep(&a_moment, NULL);
	nanosleep(&a_moment, NULL);
}

static void sleep_on_stack(void)
{
	arch_call_on(address, sleep_twice);
}

static void execute_data(void)
{
	static unsigned char code[] = ARCH_RETURN_BYTES;

	((void (*)(void))code)();
}

static const struct {
	const char *name;
	void (*commit)(void);
} kinds[] = {
	{ "segv", write_unmapped },
	{ "kernel", read_kernel },
	{ "stack", use_as_stack },
	{ "sleep", sleep_on_stack },
	{ "priv", arch_privileged },
	{ "hostcall", arch_host_call },
	{ "div0", arch_divide_by_zero },
	{ "ud", arch_undefined },
	{ "bp", arch_breakpoint },
	{ "exec", execute_data },
};

int main(int argc, char **argv)
{
	if (argc != 2 && argc != 3)
		errx(2, "usage: fault segv|kernel|stack|sleep|priv|hostcall|div0|ud|bp|exec [ADDRESS]");
	if (argc == 3)
		address = strtoul(argv[2], NULL, 16);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (!strcmp(kinds[i].name, argv[1])) {
			kinds[i].commit();
			errx(1, "%s: survived", argv[1]);
		}
	}
	errx(2, "%s: no such fault", argv[1]);
}
