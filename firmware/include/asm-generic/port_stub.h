/* SPDX-License-Identifier: GPL-2.0-only */
/* A function of a port that nobody has written yet: the machine ends there. */
#ifndef _ASM_GENERIC_PORT_STUB_H
#define _ASM_GENERIC_PORT_STUB_H

#include <linux/compiler.h>
#include <emu/hostcall.h>

/* Not panic(): that calls what may not be written either. */
static __always_inline __noreturn void port_stub(const char *text)
{
	for (;;)
		hostcall1(HC_PANIC, text);
}

#endif
