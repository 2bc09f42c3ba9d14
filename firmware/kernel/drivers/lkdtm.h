/* SPDX-License-Identifier: GPL-2.0-only */
/* Words of /dev/lkdtm that are not in its own file. */
#ifndef _KERNEL_DRIVERS_LKDTM_H
#define _KERNEL_DRIVERS_LKDTM_H

/* These exercise something, and warn if it does not do what it should. */
void lkdtm_WORKQUEUE(void);
void lkdtm_RCU(void);
void lkdtm_TASKLET(void);
void lkdtm_RWSEM(void);

void lkdtm_SLEEP_IN_ATOMIC(void);

#endif
