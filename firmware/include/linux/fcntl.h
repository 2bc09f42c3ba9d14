/* SPDX-License-Identifier: GPL-2.0-only */
/* What open() and access() may be asked for. */
#ifndef _LINUX_FCNTL_H
#define _LINUX_FCNTL_H

#include <uapi/linux/fcntl.h>

#define VALID_OPEN_FLAGS						\
	(O_ACCMODE | O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC | O_APPEND |	\
	 O_NONBLOCK | O_DSYNC | __O_SYNC | O_DIRECTORY | O_NOFOLLOW |	\
	 O_LARGEFILE | O_CLOEXEC | O_PATH)

/* What counts for a file that only stands for a path. */
#define O_PATH_FLAGS	(O_DIRECTORY | O_NOFOLLOW | O_PATH | O_CLOEXEC)

#define R_OK	4
#define W_OK	2
#define X_OK	1

#endif
