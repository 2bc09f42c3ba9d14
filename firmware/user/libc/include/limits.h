/* SPDX-License-Identifier: GPL-2.0-only */
/* Linux's limits; the compiler's own limits.h, which has the types', asks. */
#ifndef LIMITS_H
#define LIMITS_H

#define PATH_MAX	4096
#define NAME_MAX	255
#define PIPE_BUF	4096

#endif
