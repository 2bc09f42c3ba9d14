/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of this folder share. */
#ifndef _SPLICE_INTERNAL_H
#define _SPLICE_INTERNAL_H

#include <linux/splice.h>

/* splice.c. Until there is a slot, or -errno; with the pipe locked. */
int wait_for_space(struct pipe_inode_info *pipe, unsigned int flags);

/* pipe_to_pipe.c */
ssize_t splice_pipe_to_pipe(struct pipe_inode_info *ipipe,
			    struct pipe_inode_info *opipe, size_t len,
			    unsigned int flags);

#endif
