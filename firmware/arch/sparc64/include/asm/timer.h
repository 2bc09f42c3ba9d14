/* SPDX-License-Identifier: GPL-2.0-only */
/* What traces call the local timer's function: as on such machines. */
#ifndef _ASM_TIMER_H
#define _ASM_TIMER_H

#define set_next_event	sparc64_next_event

#endif
