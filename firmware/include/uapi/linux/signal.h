/* SPDX-License-Identifier: GPL-2.0-only */
/* What comes with signals, and their stack. */
#ifndef _UAPI_LINUX_SIGNAL_H
#define _UAPI_LINUX_SIGNAL_H

#include <asm/signal.h>

#define SI_USER		0
#define SI_KERNEL	0x80
#define SI_QUEUE	-1
#define SI_TIMER	-2
#define SI_TKILL	-6

#define ILL_ILLOPC	1
#define ILL_ILLOPN	2
#define ILL_ILLTRP	4
#define ILL_PRVOPC	5
#define FPE_INTDIV	1
#define FPE_INTOVF	2
#define FPE_FLTDIV	3
#define FPE_FLTUNK	14
#define SEGV_MAPERR	1
#define SEGV_ACCERR	2
#define BUS_ADRALN	1
#define BUS_ADRERR	2
#define BUS_OBJERR	3
#define TRAP_BRKPT	1
#define TRAP_TRACE	2
#define EMT_TAGOVF	1
#define CLD_EXITED	1
#define CLD_KILLED	2
#define CLD_DUMPED	3
#define CLD_STOPPED	5
#define CLD_CONTINUED	6

#define SS_ONSTACK	1
#define SS_DISABLE	2
#define SS_AUTODISARM	0x80000000u

/* timer_create(2): what happens when the time has come */
#define SIGEV_SIGNAL	0
#define SIGEV_NONE	1
#define SIGEV_THREAD	2	/* the library makes a thread of it */
#define SIGEV_THREAD_ID	4	/* to one thread */

#endif
