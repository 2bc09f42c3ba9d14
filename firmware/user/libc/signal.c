/* SPDX-License-Identifier: GPL-2.0-only */
/* Handlers and masks of signals. */
#include <errno.h>
#include <signal.h>
#include <sigaction.h>
#include <stddef.h>

static int result(long value)
{
	if (value < 0) {
		errno = -value;
		return -1;
	}
	return value;
}

int sigaction(int number, const struct sigaction *action,
	      struct sigaction *old)
{
	return result(arch_sigaction(number, action, old));
}

int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	return result(arch_syscall(SYS_rt_sigprocmask, how, (long)set,
				   (long)old, sizeof(*set)));
}

sighandler_t signal(int number, sighandler_t handler)
{
	struct sigaction action = {
		.sa_handler = handler, .sa_flags = SA_RESTART
	};
	struct sigaction old;

	return sigaction(number, &action, &old) < 0 ? SIG_ERR : old.sa_handler;
}
