/* SPDX-License-Identifier: GPL-2.0-only */
/* Reclaim of memory. */
#ifndef _LINUX_SWAP_H
#define _LINUX_SWAP_H

#include <linux/types.h>

unsigned long try_to_free_pages(gfp_t gfp, unsigned int order);

#endif
