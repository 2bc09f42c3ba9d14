/* SPDX-License-Identifier: GPL-2.0-only */
/* How traces spell what is done to a disk. */
#include <linux/blktrace_api.h>
#include <linux/compiler.h>

/* Writes RWBS_LEN bytes at most: a letter for the operation and for each flag. */
notrace void blk_fill_rwbs(char *rwbs, blk_opf_t opf)
{
	if (opf & REQ_PREFLUSH)
		*rwbs++ = 'F';
	switch (opf & REQ_OP_MASK) {
	case REQ_OP_READ:
		*rwbs++ = 'R';
		break;
	case REQ_OP_WRITE:
		*rwbs++ = 'W';
		break;
	case REQ_OP_FLUSH:
		*rwbs++ = 'F';
		break;
	default:
		*rwbs++ = 'N';
	}
	if (opf & REQ_SYNC)
		*rwbs++ = 'S';
	if (opf & REQ_META)
		*rwbs++ = 'M';
	*rwbs = '\0';
}
