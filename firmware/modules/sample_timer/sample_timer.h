/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of sample_timer share. */
#ifndef SAMPLE_TIMER_H
#define SAMPLE_TIMER_H

/* Counts one beat; how many there were. */
unsigned long sample_count(void);

#endif
