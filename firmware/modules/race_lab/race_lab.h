/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of race_lab share. */
#ifndef RACE_LAB_H
#define RACE_LAB_H

#include <linux/types.h>

/*
 * A trampoline of one page at most (arch/.../trampoline.S), wherever it is
 * copied to. A CPU stays in it until race_lab_hold is 0.
 */
struct race_lab_template {
	u64 size;
	u8 code[];
};

/*
 * A CPU's thread, in assembly; never returns. It calls what the struct
 * race_lab_cpu @data says. Between two calls it passes race_lab_home.
 */
int race_lab_thread(void *data);

/* What threads call that shall not visit a site: until the host says which. */
void race_lab_rest(void);
/* What one calls that shall free the trampoline. */
void race_lab_free(void);
/* What an interrupt runs that shall visit a site, a function. */
u64 race_lab_interrupt(u64 visit);
/* What threads call last. */
void race_lab_leave(void);

#endif
