/* SPDX-License-Identifier: GPL-2.0-only */
/* What is done about a signal, as SPARC has them. */
#ifndef _ASM_SIGNAL_H
#define _ASM_SIGNAL_H

#include <uapi/asm/signal.h>

/* Here the restorer that counts is an argument of rt_sigaction. */
struct sigaction {
	unsigned long sa_handler;
	unsigned long sa_flags;
	unsigned long sa_restorer;
	unsigned long sa_mask;
};

struct k_sigaction {
	struct sigaction sa;
	unsigned long ka_restorer;
};

#endif
