// SPDX-License-Identifier: GPL-2.0-only
// Linked with each of gdb's tests: touches all pages of the program before anything else of it runs.

extern char __executable_start[], __data_start[], _end[];

enum { PAGE = 4096, STACK = 64 * PAGE };

__attribute__((noinline)) void emu_ready(void)
{
	__asm__ volatile("");
}

static void touch(void)
{
	volatile char stack[STACK];

	for (int at = 0; at < STACK; at += PAGE)
		stack[at] = 0;
	for (volatile char *at = __executable_start; at < (volatile char *)_end; at += PAGE)
		(void)*at;
	for (volatile char *at = __data_start; at < (volatile char *)_end; at += PAGE)
		*at = *at;
	emu_ready();
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = touch;
