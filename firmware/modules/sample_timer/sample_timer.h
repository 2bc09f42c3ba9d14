/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of sample_timer share. */
#ifndef SAMPLE_TIMER_H
#define SAMPLE_TIMER_H

/* Counts one beat; how many there were. */
unsigned long sample_count(void);

/* The thread beats every so many milliseconds until it is stopped. */
int sample_thread_start(unsigned int period);
void sample_thread_stop(void);

#endif
