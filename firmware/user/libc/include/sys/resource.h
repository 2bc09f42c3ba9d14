/* SPDX-License-Identifier: GPL-2.0-only */
/* What processes use and may use. */
#ifndef SYS_RESOURCE_H
#define SYS_RESOURCE_H

#include <sys/types.h>

#define PRIO_PROCESS	0
#define PRIO_PGRP	1
#define PRIO_USER	2

int getpriority(int which, int who);
int setpriority(int which, int who, int value);

#endif
