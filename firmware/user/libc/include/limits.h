/* SPDX-License-Identifier: GPL-2.0-only */
/* Linux's limits; the compiler's own limits.h, which has the types', asks. */
#ifndef LIMITS_H
#define LIMITS_H

#include <linux/limits.h>

#endif
