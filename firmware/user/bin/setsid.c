/* SPDX-License-Identifier: GPL-2.0-only */
/* setsid [-fw] PROGRAM [ARGUMENT]...: in a session of its own. */
#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	bool fork_always = false, wait_for_it = false;
	int option, status;
	pid_t pid;

	while ((option = getopt(argc, argv, "+fw")) >= 0) {
		switch (option) {
		case 'f': fork_always = true; break;
		case 'w': wait_for_it = true; break;
		default: return 1;
		}
	}
	if (optind == argc)
		errx(1, "no command specified");
	/* Who leads a process group cannot begin a session. */
	if (fork_always || getpgid(0) == getpid()) {
		pid = fork();
		if (pid < 0)
			err(1, "fork");
		if (pid > 0 && !wait_for_it)
			return 0;
		if (pid > 0) {
			if (waitpid(pid, &status, 0) < 0)
				err(1, "wait");
			return WIFEXITED(status) ? WEXITSTATUS(status) :
						   128 + WTERMSIG(status);
		}
	}
	if (setsid() < 0)
		err(1, "setsid failed");
	execvp(argv[optind], argv + optind);
	err(errno == ENOENT ? 127 : 126, "failed to execute %s", argv[optind]);
}
