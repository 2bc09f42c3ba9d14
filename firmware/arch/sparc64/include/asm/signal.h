/* SPDX-License-Identifier: GPL-2.0-only */
/* What is done about a signal, as SPARC has it. */
#ifndef _ASM_SIGNAL_H
#define _ASM_SIGNAL_H

#include <uapi/asm/signal.h>

/* Here the restorer that counts is an argument of rt_sigaction. */
#define __ARCH_HAS_KA_RESTORER

#endif
