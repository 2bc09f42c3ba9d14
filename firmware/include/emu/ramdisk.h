/* SPDX-License-Identifier: GPL-2.0-only */
/* What the RAM disk is told by HC_BLOCK_SUBMIT; see docs/board.md. */
#ifndef _EMU_RAMDISK_H
#define _EMU_RAMDISK_H

#include <linux/types.h>

#define RAMDISK_READ		0
#define RAMDISK_WRITE		1

#define RAMDISK_DEPTH		32	/* commands at a time */
#define RAMDISK_MAX_SEGMENTS	64

struct ramdisk_segment {
	u64 address;	/* physical */
	u64 length;
};

struct ramdisk_command {
	u64 sector;
	u64 operation;
	u64 nr_segments;
	struct ramdisk_segment segments[RAMDISK_MAX_SEGMENTS];
};

/* HC_BLOCK_COMPLETED's result: the tag, and above it whether it failed */
#define RAMDISK_TAG(result)	((result) & 0xffff)
#define RAMDISK_FAILED(result)	((result) >> 16)

#endif
