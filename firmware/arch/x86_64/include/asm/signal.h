/* SPDX-License-Identifier: GPL-2.0-only */
/* What is done about a signal, as x86-64 has them. */
#ifndef _ASM_SIGNAL_H
#define _ASM_SIGNAL_H

#include <uapi/asm/signal.h>

struct sigaction {
	unsigned long sa_handler;
	unsigned long sa_flags;
	unsigned long sa_restorer;
	unsigned long sa_mask;
};

struct k_sigaction {
	struct sigaction sa;
};

#endif
