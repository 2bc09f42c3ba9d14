/* SPDX-License-Identifier: GPL-2.0-only */
/* A function of a port that nobody has written yet: the machine ends there. */
#ifndef _ASM_GENERIC_PORT_STUB_H
#define _ASM_GENERIC_PORT_STUB_H

#include <emu/hostcall.h>

/* Not panic(): that calls what may not be written either. */
#define port_stub(text)							\
	do {								\
		for (;;)						\
			hostcall(HC_PANIC, (unsigned long)(text),	\
				 0, 0, 0);				\
	} while (0)

#endif
