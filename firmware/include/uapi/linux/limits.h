/* SPDX-License-Identifier: GPL-2.0-only */
/* Lengths of names. */
#ifndef _UAPI_LINUX_LIMITS_H
#define _UAPI_LINUX_LIMITS_H

#define NAME_MAX	255
#define PATH_MAX	4096
#define PIPE_BUF	4096	/* bytes written at once stay together */

#endif
