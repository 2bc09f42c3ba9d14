/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting for children, and what their wait status says. */
#ifndef SYS_WAIT_H
#define SYS_WAIT_H

#include <linux/wait.h>
#include <sys/types.h>

#define WTERMSIG(status)	((status) & 0x7f)
#define WEXITSTATUS(status)	(((status) >> 8) & 0xff)
#define WIFEXITED(status)	(WTERMSIG(status) == 0)
#define WIFSIGNALED(status)	(WTERMSIG(status) != 0 && \
				 WTERMSIG(status) != 0x7f)
#define WIFSTOPPED(status)	(((status) & 0xff) == 0x7f)
#define WSTOPSIG(status)	WEXITSTATUS(status)
#define WIFCONTINUED(status)	((status) == 0xffff)
#define WCOREDUMP(status)	((status) & 0x80)

struct rusage;

pid_t wait(int *status);
pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage);
pid_t waitpid(pid_t pid, int *status, int options);

#endif
