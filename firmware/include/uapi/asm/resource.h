/* SPDX-License-Identifier: GPL-2.0-only */
/* The limits whose numbers ports do not agree on. */
#ifndef _UAPI_ASM_RESOURCE_H
#define _UAPI_ASM_RESOURCE_H

#define RLIMIT_NPROC	6
#define RLIMIT_NOFILE	7

#endif
