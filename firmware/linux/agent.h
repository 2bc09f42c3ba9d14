/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of linux-init have of each other. */
#ifndef AGENT_H
#define AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pollfd;

/* port.c: one frame at a time; it is written as the port takes it. */
void open_port(void);
void poll_port(struct pollfd *fd);
void read_port(void);		/* obeys the frames that are whole */
void write_port(void);

extern unsigned char *const frame_data;
void make_frame(int type, size_t length);
bool has_frame(void);		/* that has not been written */
bool make_port_frame(void);	/* if there is one about the channel itself */
void credit_input(size_t bytes);

/* Numbers in frames. */
unsigned int get_number(const unsigned char *from, int bytes);
void put_number(unsigned char *to, unsigned int value, int bytes);

/* command.c: a command that runs; its descriptors are the agent's ends. */
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

/* agent.c: does what a frame says. False if the host sends no such. */
bool obey(int type, const unsigned char *data, size_t length);
/* Serves the host; process 1 also obeys the signals that end the machine. */
void serve(bool is_first) __attribute__((noreturn));

/* init.c: ends the machine, as SIGUSR1, SIGUSR2 or SIGTERM says. */
void end_machine(int signal) __attribute__((noreturn));

#endif
