/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * busy WORKERS ROUNDS, or busy WORKERS SECONDSs ("busy 4 2s"): keeps the CPUs
 * busy with what kernels get wrong under load, and checks every result. Each
 * worker does rounds of: fork, exec and wait for two programs; a message there
 * and back through two pipes; writes to memory that is shared until written.
 * It prints the rounds of all workers together.
 */
#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_WORKERS	64
#define COW_BYTES	(32 * 1024)
#define COW_STRIDE	(8 * 1024)
#define MESSAGE_BYTES	256

/* What a worker has to report. */
struct result {
	unsigned long rounds;
	unsigned long errors;
};

static struct result worker_result;
static unsigned int worker;

static void failed(const char *what)
{
	warnx("worker %u, round %lu: %s", worker, worker_result.rounds, what);
	worker_result.errors++;
}

/* Different in each byte, round and worker, and in the copy of a child. */
static unsigned char pattern(size_t i, bool child)
{
	return i * 7 + i / 1024 + worker_result.rounds * 31 + worker * 67 +
	       (child ? 129 : 0);
}

static void fill(unsigned char *bytes, size_t size, bool child)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = pattern(i, child);
}

static bool holds(const unsigned char *bytes, size_t size, bool child)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i] != pattern(i, child))
			return false;
	return true;
}

/* Waits for a child that must exit with a status. */
static void expect(pid_t pid, int status, const char *what)
{
	int got;

	if (waitpid(pid, &got, 0) != pid || !WIFEXITED(got) ||
	    WEXITSTATUS(got) != status)
		failed(what);
}

static void run(const char *path, int status)
{
	char *argv[] = { (char *)path, NULL };
	pid_t pid = fork();

	if (pid < 0) {
		failed("cannot fork");
		return;
	}
	if (pid == 0) {
		execve(path, argv, environ);
		_exit(127);
	}
	expect(pid, status, path);
}

static bool read_all(int fd, void *buffer, size_t size)
{
	char *to = buffer;

	while (size > 0) {
		ssize_t got = read(fd, to, size);

		if (got <= 0)
			return false;
		to += got;
		size -= got;
	}
	return true;
}

/* The child's end: takes the parent's message, answers with its own. */
static void pong(int from, int to)
{
	unsigned char message[MESSAGE_BYTES];

	if (!read_all(from, message, sizeof(message)) ||
	    !holds(message, sizeof(message), false))
		_exit(1);
	fill(message, sizeof(message), true);
	_exit(write_all(to, message, sizeof(message)) < 0);
}

static void ping_pong(void)
{
	unsigned char message[MESSAGE_BYTES];
	int there[2], back[2];
	pid_t pid;

	if (pipe(there) < 0) {
		failed("cannot make a pipe");
		return;
	}
	if (pipe(back) < 0) {
		failed("cannot make a pipe");
		close(there[0]);
		close(there[1]);
		return;
	}
	pid = fork();
	if (pid == 0) {
		close(there[1]);
		close(back[0]);
		pong(there[0], back[1]);
	}
	close(there[0]);
	close(back[1]);
	if (pid < 0) {
		failed("cannot fork");
	} else {
		fill(message, sizeof(message), false);
		if (write_all(there[1], message, sizeof(message)) < 0 ||
		    !read_all(back[0], message, sizeof(message)) ||
		    !holds(message, sizeof(message), true))
			failed("wrong answer through the pipe");
		expect(pid, 0, "wrong message through the pipe");
	}
	close(there[1]);
	close(back[0]);
}

/* Parent and child write the same pages; each must keep its own. */
static void copy_on_write(unsigned char *memory)
{
	pid_t pid;

	fill(memory, COW_BYTES, false);
	pid = fork();
	if (pid < 0) {
		failed("cannot fork");
		return;
	}
	if (pid == 0) {
		bool before = holds(memory, COW_BYTES, false);

		fill(memory, COW_BYTES, true);
		_exit(!before || !holds(memory, COW_BYTES, true));
	}
	/* Not every page, so that either may be the first to write. */
	for (size_t at = 0; at < COW_BYTES; at += COW_STRIDE)
		memory[at] = pattern(at, false);
	expect(pid, 0, "wrong memory in the child");
	if (!holds(memory, COW_BYTES, false))
		failed("wrong memory in the parent");
}

static bool expired(const struct timespec *end)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > end->tv_sec ||
	       (now.tv_sec == end->tv_sec && now.tv_nsec >= end->tv_nsec);
}

/* Does rounds, or as many as fit until end; then reports and exits. */
static void work(long rounds, const struct timespec *end, int report_fd)
{
	unsigned char *memory = xmalloc(COW_BYTES);

	while (rounds >= 0 ? worker_result.rounds < (unsigned long)rounds :
			     !expired(end)) {
		run("/bin/true", 0);
		run("/bin/false", 1);
		ping_pong();
		copy_on_write(memory);
		worker_result.rounds++;
	}
	if (write_all(report_fd, &worker_result, sizeof(worker_result)) < 0)
		_exit(2);
	_exit(worker_result.errors ? 1 : 0);
}

/* Each worker counts once as an error if it did not end as it should. */
static struct result collect(unsigned int workers, int report_fd)
{
	struct result total = { 0, 0 };
	struct result one;
	int status;

	while (read_all(report_fd, &one, sizeof(one))) {
		total.rounds += one.rounds;
		total.errors += one.errors;
	}
	for (; workers > 0; workers--)
		if (waitpid(-1, &status, 0) < 0 || !WIFEXITED(status) ||
		    WEXITSTATUS(status) > 1)
			total.errors++;
	return total;
}

static long parse_amount(const char *text, bool *seconds)
{
	size_t length = strlen(text);
	char *digits = xstrdup(text);
	long amount;

	*seconds = length > 0 && text[length - 1] == 's';
	if (*seconds)
		digits[length - 1] = '\0';
	amount = parse_number(digits);
	free(digits);
	return amount;
}

int main(int argc, char **argv)
{
	struct timespec end;
	struct result total;
	long workers, amount;
	bool seconds;
	int fds[2];

	if (argc != 3)
		errx(2, "usage: busy WORKERS ROUNDS|SECONDSs");
	workers = parse_number(argv[1]);
	amount = parse_amount(argv[2], &seconds);
	if (workers < 1 || workers > MAX_WORKERS || amount < 0)
		errx(2, "invalid number");
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += amount;
	if (pipe(fds) < 0)
		err(2, "cannot make a pipe");
	for (worker = 0; worker < workers; worker++) {
		pid_t pid = fork();

		if (pid < 0)
			err(2, "cannot fork");
		if (pid == 0) {
			close(fds[0]);
			work(seconds ? -1 : amount, &end, fds[1]);
		}
	}
	close(fds[1]);
	total = collect(workers, fds[0]);
	printf("busy: %ld workers, %lu rounds, %lu errors\n", workers,
	       total.rounds, total.errors);
	return total.errors ? 1 : 0;
}
