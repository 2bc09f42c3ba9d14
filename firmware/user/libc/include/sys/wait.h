/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting for children, and what their wait status says. */
#ifndef SYS_WAIT_H
#define SYS_WAIT_H

#include <sys/types.h>

#define WNOHANG			1

#define WTERMSIG(status)	((status) & 0x7f)
#define WEXITSTATUS(status)	(((status) >> 8) & 0xff)
#define WIFEXITED(status)	(WTERMSIG(status) == 0)
#define WIFSIGNALED(status)	(WTERMSIG(status) != 0 && \
				 WTERMSIG(status) != 0x7f)
#define WCOREDUMP(status)	((status) & 0x80)

pid_t waitpid(pid_t pid, int *status, int options);

#endif
