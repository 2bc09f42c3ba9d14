/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hackbench [-p] [-g GROUPS] [-f FDS] [-l LOOPS] [-s BYTES]: groups of FDS senders
 * and as many receivers. Each sender writes LOOPS messages to each receiver of
 * its group, through one pipe per receiver; all begin at once. It prints how
 * long that took. Sockets do not exist here, so pipes are what -p asks for.
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Closing this end of a pipe lets all begin. */
static int start_end;

static long groups = 10, fds = 20, loops = 100, size = 100;

static void make_pipe(int ends[2])
{
	if (pipe(ends) < 0)
		err(1, "cannot make a pipe");
}

static pid_t start(void)
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "cannot fork");
	return pid;
}

/* Says that it is there, and waits until all are. */
static void get_ready(int ready, int go)
{
	char byte = 0;

	close(start_end);
	if (write(ready, &byte, 1) != 1 || read(go, &byte, 1) < 0)
		err(1, "cannot start");
}

static void send_all(const int *to, char *message)
{
	for (long loop = 0; loop < loops; loop++)
		for (long i = 0; i < fds; i++)
			if (write_all(to[i], message, size) < 0)
				err(1, "cannot write");
}

static void receive_all(int from, char *message)
{
	for (long left = fds * loops * size; left > 0;) {
		ssize_t got = read(from, message, size);

		if (got < 0)
			err(1, "cannot read");
		if (got == 0)
			errx(1, "%ld bytes are missing", left);
		left -= got;
	}
}

/* Starts the tasks of a group; each takes its copies of the pipes' ends. */
static void start_group(int ready, int go)
{
	int *to = xmalloc(fds * sizeof(*to));
	char *message = calloc(1, size);

	if (!message)
		errx(1, "out of memory");
	for (long i = 0; i < fds; i++) {
		int ends[2];

		make_pipe(ends);
		if (start() == 0) {
			close(ends[1]);
			for (long j = 0; j < i; j++)
				close(to[j]);
			get_ready(ready, go);
			receive_all(ends[0], message);
			_exit(0);
		}
		close(ends[0]);
		to[i] = ends[1];
	}
	for (long i = 0; i < fds; i++) {
		if (start() == 0) {
			get_ready(ready, go);
			send_all(to, message);
			_exit(0);
		}
	}
	for (long i = 0; i < fds; i++)
		close(to[i]);
	free(to);
	free(message);
}

static long number(const char *text)
{
	long value = parse_number(text);

	if (value <= 0 || value > 1000000)
		errx(1, "invalid number '%s'", text);
	return value;
}

int main(int argc, char **argv)
{
	int ready[2], go[2], option, failed = 0;
	struct timespec begin, end;
	long tasks;
	char byte;

	while ((option = getopt(argc, argv, "pg:f:l:s:")) >= 0) {
		switch (option) {
		case 'p': break;
		case 'g': groups = number(optarg); break;
		case 'f': fds = number(optarg); break;
		case 'l': loops = number(optarg); break;
		case 's': size = number(optarg); break;
		default: return 1;
		}
	}
	tasks = groups * fds * 2;
	printf("Running in process mode with %ld groups using %ld file "
	       "descriptors each (== %ld tasks)\n", groups, 2 * fds, tasks);
	printf("Each sender will pass %ld messages of %ld bytes\n", loops,
	       size);
	if (fflush(stdout) < 0)
		return 1;
	make_pipe(ready);
	make_pipe(go);
	start_end = go[1];
	for (long i = 0; i < groups; i++)
		start_group(ready[1], go[0]);
	close(ready[1]);
	for (long i = 0; i < tasks; i++)
		if (read(ready[0], &byte, 1) != 1)
			errx(1, "a task did not start");
	clock_gettime(CLOCK_MONOTONIC, &begin);
	close(start_end);
	for (long i = 0; i < tasks; i++) {
		int status;

		if (wait(&status) < 0)
			err(1, "cannot wait");
		failed |= status != 0;
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec -= begin.tv_sec;
	end.tv_nsec -= begin.tv_nsec;
	if (end.tv_nsec < 0) {
		end.tv_sec--;
		end.tv_nsec += 1000000000;
	}
	printf("Time: %ld.%03ld\n", end.tv_sec, end.tv_nsec / 1000000);
	return failed;
}
