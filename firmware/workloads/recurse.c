/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recurse DEPTH ROUNDS: calls itself DEPTH deep and adds up on the way back
 * what each level was given. At the bottom it forks, so that the child goes
 * the way back, too; every 16th level makes a system call in both directions,
 * every 256th raises a signal, whose handler recurses likewise. Prints the sum,
 * or fails if any level has found other values than its own.
 */
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct values {
	long a, b, c;
};

static pid_t child;

/* What a level hands down. */
static struct values next(struct values v, long depth)
{
	return (struct values){ v.a + depth, v.b ^ v.a, v.c * 3 + 1 };
}

static long mix(struct values v)
{
	return v.a - v.b + v.c;
}

#define HANDLER_DEPTH	20

static __attribute__((noipa)) long handler_level(long depth)
{
	if (!depth)
		return getppid() < 0;
	return depth + handler_level(depth - 1);
}

static void handle(int sig)
{
	if (handler_level(HANDLER_DEPTH) != HANDLER_DEPTH * (HANDLER_DEPTH + 1) / 2)
		errx(1, "in the handler of signal %d", sig);
}

static __attribute__((noipa)) long level(long depth, long a, long b, long c)
{
	struct values v = { a, b, c }, below = next(v, depth);
	long sum = 0;

	if (!(depth & 15))
		getpid();
	if ((depth & 255) == 255)
		raise(SIGUSR1);
	if (depth) {
		sum = level(depth - 1, below.a, below.b, below.c);
	} else {
		child = fork();
		if (child < 0)
			err(2, "fork");
	}
	if (!(depth & 15))
		getpid();
	return sum + mix(v);
}

static long expected(long depth, struct values v)
{
	long sum = mix(v);

	for (; depth; depth--) {
		v = next(v, depth);
		sum += mix(v);
	}
	return sum;
}

static void check(long depth)
{
	struct values v = { 5, 7, depth };
	long sum = level(depth, v.a, v.b, v.c), want = expected(depth, v);
	int status;

	if (sum != want)
		errx(1, "%ld instead of %ld", sum, want);
	if (!child)
		exit(42);
	if (waitpid(child, &status, 0) != child || status != 42 << 8)
		errx(1, "wait status of the child: %x", status);
}

int main(int argc, char **argv)
{
	long depth, rounds;

	if (argc != 3)
		errx(2, "usage: recurse DEPTH ROUNDS");
	depth = parse_number(argv[1]);
	rounds = parse_number(argv[2]);
	if (depth < 0 || rounds < 0)
		errx(2, "invalid number");
	signal(SIGUSR1, handle);
	for (; rounds; rounds--)
		check(depth);
	printf("%ld\n", expected(depth, (struct values){ 5, 7, depth }));
	return 0;
}
