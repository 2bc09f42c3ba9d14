/* SPDX-License-Identifier: GPL-2.0-only */
/* A command: its session, its standard files, and how it is ended. */
#include "agent.h"

#include <errno.h>
#include <exec.h>
#include <fcntl.h>
#include <linux_abi.h>
#include <proc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* A process that forks as it is killed leaves a child for the next one. */
#define KILL_ROUNDS	16

void set_window(int terminal, const struct window *window)
{
	struct winsize size = {
		.ws_row = window->rows, .ws_col = window->columns,
	};

	ioctl(terminal, TIOCSWINSZ, &size);
}

static bool not_blocking(int fd)
{
	return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL, 0) | O_NONBLOCK) == 0;
}

/*
 * The agent keeps the program's end open, too, until the command has ended:
 * else a program that closes its terminal and opens /dev/tty later would seem
 * to be gone.
 */
static bool open_terminal(struct command *command, int files[3],
			  const struct window *window)
{
	int unlock = 0;

	command->output = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC |
			       O_NONBLOCK);
	if (command->output < 0 ||
	    ioctl(command->output, TIOCSPTLCK, &unlock) < 0)
		return false;
	command->input = fcntl(command->output, F_DUPFD_CLOEXEC, 0);
	command->terminal = ioctl(command->output, TIOCGPTPEER,
				  O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (command->input < 0 || command->terminal < 0)
		return false;
	set_window(command->terminal, window);
	for (int i = 0; i < 3; i++)
		files[i] = command->terminal;
	return true;
}

static bool open_pipe(int *mine, int *theirs, bool theirs_reads)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return false;
	*mine = fds[theirs_reads];
	*theirs = fds[!theirs_reads];
	return not_blocking(*mine);
}

static bool open_files(struct command *command, int files[3],
		       const struct window *window)
{
	if (window)
		return open_terminal(command, files, window);
	return open_pipe(&command->input, &files[0], true) &&
	       open_pipe(&command->output, &files[1], false) &&
	       open_pipe(&command->errors, &files[2], false);
}

static void close_all(int *fds, int count)
{
	for (int i = 0; i < count; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* In the new process. */
static void become(char **argv, char **envp, const int files[3], bool terminal,
		   int started)
{
	static const int signals[] = {
		SIGCHLD, SIGPIPE, SIGUSR1, SIGUSR2, SIGTERM,
	};
	sigset_t none;

	for (unsigned int i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		signal(signals[i], SIG_DFL);
	setsid();
	if (terminal)
		ioctl(files[0], TIOCSCTTY, 0);
	for (int i = 0; i < 3; i++)
		dup2(files[i], i);
	close(started);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	environ = envp;
	exec_or_exit(argv, "%s");
}

bool start_command(struct command *command, char **argv, char **envp,
		   const struct window *window)
{
	int files[3] = { -1, -1, -1 }, started[2] = { -1, -1 }, error;
	char nothing;

	*command = (struct command){ 0, -1, -1, -1, -1 };
	if (open_files(command, files, window) &&
	    pipe2(started, O_CLOEXEC) == 0)
		command->pid = fork();
	else
		command->pid = -1;
	if (command->pid == 0)
		become(argv, envp, files, window, started[1]);
	error = errno;
	if (!window)
		close_all(files, 3);
	close_all(&started[1], 1);
	if (command->pid > 0)	/* until nobody has the other end */
		read(started[0], &nothing, 1);
	close_all(&started[0], 1);
	if (command->pid > 0)
		return true;
	close_all(&command->input, 4);
	*command = (struct command){ 0, -1, -1, -1, -1 };
	errno = error;
	return false;
}

void signal_command(const struct command *command, int signal)
{
	pid_t group = -1;

	/* Only at its own end may a terminal of others be asked. */
	if (command->terminal >= 0)
		group = tcgetpgrp(command->input);
	kill(-(group > 1 ? group : command->pid), signal);
}

/* Whether a process that is not dead belongs to a session. */
static bool belongs(pid_t pid, pid_t session)
{
	char path[64], text[512], *fields;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	read_proc(path, text, sizeof(text));
	fields = strrchr(text, ')');	/* the name before it is arbitrary */
	if (!fields || strlen(fields) < 3 || strchr("ZX", fields[2]))
		return false;
	for (int i = 0; i < 4 && fields; i++)
		fields = strchr(fields + 1, ' ');
	return fields && atoi(fields) == session;
}

void kill_session(pid_t session)
{
	int left = access("/proc/self", F_OK) == 0;

	kill(-session, SIGKILL);
	for (int i = 0; left && i < KILL_ROUNDS; i++) {
		int *pids, count = all_pids(&pids);

		left = 0;
		for (int k = 0; k < count; k++)
			if (belongs(pids[k], session)) {
				kill(pids[k], SIGKILL);
				left++;
			}
		free(pids);
	}
}
