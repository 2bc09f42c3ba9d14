/* SPDX-License-Identifier: GPL-2.0-only */
/* dd: what was asked for, and what was done. */
#ifndef DD_H
#define DD_H

#include <stdbool.h>

struct request {
	const char	*input, *output;	/* NULL: standard */
	long		in_size, out_size;	/* bytes of a block */
	long		count;			/* blocks of input; -1: all */
	long		skip, seek;		/* blocks of input, of output */
	bool		one_size;		/* bs=: blocks stay as read */
	bool		notrunc, sync_data, pad, noerror, excl, nocreat;
	bool		quiet, no_transfer;	/* status= */
};

struct records {
	long full, part;
};

/* Ends the program with a message if an operand makes no sense. */
void parse_operand(struct request *request, char *word);

/* "123 bytes copied, 0.5 s, 246 B/s" on standard error. */
void print_transfer(long bytes, long nanoseconds);

#endif
