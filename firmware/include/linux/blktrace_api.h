/* SPDX-License-Identifier: GPL-2.0-only */
/* How traces spell what is done to a disk. */
#ifndef _LINUX_BLKTRACE_API_H
#define _LINUX_BLKTRACE_API_H

#include <linux/blk_types.h>

#define RWBS_LEN	8

void blk_fill_rwbs(char *rwbs, blk_opf_t opf);

#endif
