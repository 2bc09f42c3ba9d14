/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of linux-init have of each other. */
#ifndef AGENT_H
#define AGENT_H

#include <stdbool.h>
#include <sys/types.h>

/* A command that runs; its descriptors are the agent's ends. */
struct command {
	pid_t	pid;		/* and session; 0: there is none */
	int	input;		/* not blocking; -1: closed */
	int	output;		/* not blocking */
	int	errors;		/* not blocking; -1: a terminal has no other */
	int	terminal;	/* the program's end; -1: there is none */
};

struct window {
	unsigned short rows, columns;
};

/*
 * Starts argv with exactly the environment envp, with a terminal if there is a
 * window. Returns when signals to the new session arrive. False with errno.
 */
bool start_command(struct command *command, char **argv, char **envp,
		   const struct window *window);
void set_window(int terminal, const struct window *window);
/* To the terminal's foreground process group, or to the command's. */
void signal_command(const struct command *command, int signal);
/* SIGKILL to every process of the session. */
void kill_session(pid_t session);

/* Serves the host; process 1 also obeys the signals that end the machine. */
void serve(bool is_first) __attribute__((noreturn));

/* Ends all processes and the machine, as SIGUSR1, SIGUSR2 or SIGTERM says. */
void end_machine(int signal) __attribute__((noreturn));

#endif
