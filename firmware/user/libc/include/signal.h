/* SPDX-License-Identifier: GPL-2.0-only */
/* Signals: those that all ports number alike, abi.h has the rest. */
#ifndef SIGNAL_H
#define SIGNAL_H

#include <abi.h>
#include <sys/types.h>

#define SIGHUP		1
#define SIGINT		2
#define SIGQUIT		3
#define SIGILL		4
#define SIGTRAP		5
#define SIGABRT		6
#define SIGFPE		8
#define SIGKILL		9
#define SIGSEGV		11
#define SIGPIPE		13
#define SIGALRM		14
#define SIGTERM		15

#define SIGNAL_MAX	64

/* The number of a name (TERM, SIGTERM) or number; -1: there is no such. */
int signal_number(const char *name);
/* Its name without SIG; NULL if it has none. */
const char *signal_name(int number);

int kill(pid_t pid, int signal);

#endif
