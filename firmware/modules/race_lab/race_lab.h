/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of race_lab share. */
#ifndef RACE_LAB_H
#define RACE_LAB_H

/*
 * A CPU's thread, in assembly; never returns. It calls what the struct
 * race_lab_cpu @data says. Between two calls it passes race_lab_home.
 */
int race_lab_thread(void *data);

/* What threads call that shall not visit a site: until the host says which. */
void race_lab_rest(void);
/* What they call last. */
void race_lab_leave(void);

#endif
