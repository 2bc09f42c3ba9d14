/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * threads [-n COUNT] [CASE]: threads of one process that count together under a
 * lock, and hand work to each other by a condition. The cases are what can
 * happen to them otherwise.
 */
#include <err.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <syscall.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS	200
#define MOST	64

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long counter, items, taken;

static void create(pthread_t *thread, void *(*function)(void *), void *argument)
{
	int error = pthread_create(thread, NULL, function, argument);

	if (error)
		errx(1, "cannot create a thread: %s", strerror(error));
}

static void sleep_us(long us)
{
	struct timespec ts = { 0, us * 1000 };

	nanosleep(&ts, NULL);
}

static void *add(void *argument)
{
	if (pthread_self() == NULL)
		errx(1, "a thread without a pointer");
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&lock);
		counter++;
		if (i % 16 == 0)
			sched_yield();
		pthread_mutex_unlock(&lock);
	}
	return argument;
}

static void run_count(int count)
{
	pthread_t threads[MOST];
	long sum = 0;

	for (long i = 0; i < count; i++)
		create(&threads[i], add, (void *)i);
	for (int i = 0; i < count; i++) {
		void *result;

		pthread_join(threads[i], &result);
		sum += (long)result;
	}
	printf("%d threads: counter %ld, sum of results %ld\n", count, counter,
	       sum);
}

static void *take(void *unused)
{
	(void)unused;
	for (;;) {
		pthread_mutex_lock(&lock);
		while (items == 0)
			pthread_cond_wait(&changed, &lock);
		if (items < 0)
			break;
		items--;
		taken++;
		pthread_mutex_unlock(&lock);
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void run_hand(int count)
{
	pthread_t threads[MOST];
	int given = 0;

	for (int i = 0; i < count; i++)
		create(&threads[i], take, NULL);
	while (given < ROUNDS) {
		pthread_mutex_lock(&lock);
		if (items == 0) {
			items = 2;
			given += 2;
			pthread_cond_signal(&changed);
			pthread_cond_signal(&changed);
		}
		pthread_mutex_unlock(&lock);
		sched_yield();
	}
	for (;;) {
		pthread_mutex_lock(&lock);
		if (items == 0)
			break;
		pthread_mutex_unlock(&lock);
		sched_yield();
	}
	items = -1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	printf("%d threads took %ld of %d\n", count, taken, given);
}

static void *wait_for_ever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/* All of a process ends by exit_group, whoever calls it. */
static void *leave(void *unused)
{
	(void)unused;
	_exit(42);
}

static void run_exit(int count)
{
	pthread_t thread;

	for (int i = 0; i < count; i++)
		create(&thread, wait_for_ever, NULL);
	create(&thread, leave, NULL);
	wait_for_ever(NULL);
}

static void *become_echo(void *pid)
{
	char text[32];
	char *argv[] = { "echo", "still", text, NULL };

	snprintf(text, sizeof(text), "%d", getpid() == (pid_t)(long)pid);
	execve("/bin/echo", argv, environ);
	err(1, "/bin/echo");
}

/* execve in a thread: the others end, the process keeps its number. */
static void run_exec(int count)
{
	pthread_t thread;

	for (int i = 0; i < count; i++)
		create(&thread, wait_for_ever, NULL);
	create(&thread, become_echo, (void *)(long)getpid());
	wait_for_ever(NULL);
}

/* A process of several threads is killed and waited for as one. */
static void run_kill(int count)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		run_exit(0);
	}
	waitpid(pid, &status, 0);
	printf("exit %d\n", WEXITSTATUS(status));
	pid = fork();
	if (pid == 0) {
		pthread_t thread;

		for (int i = 0; i < count; i++)
			create(&thread, wait_for_ever, NULL);
		wait_for_ever(NULL);
	}
	sleep_us(3000);
	kill(pid, SIGTERM);
	waitpid(pid, &status, 0);
	printf("signal %d, children left: %d\n", WTERMSIG(status),
	       waitpid(-1, &status, 0));
}

static long futex(int *word, int op, int value, void *timeout, int *word2,
		  int value3)
{
	return arch_syscall6(SYS_futex, (long)word, op, value, (long)timeout,
			     (long)word2, value3);
}

static int word, word2;

static void *sleep_on_word(void *unused)
{
	(void)unused;
	return (void *)futex(&word, 0, 0, NULL, NULL, 0);
}

/*
 * Until all sleep on @from, however long that takes: to move them to where they
 * are shows how many there are.
 */
static void wait_for_sleepers(int *from, int count)
{
	while (futex(from, 3, 0, (void *)(long)INT_MAX, from, 0) < count)
		sleep_us(1000);
}

static void run_futex(int count)
{
	struct timespec soon = { 0, 1000000 };
	pthread_t threads[MOST];
	long woken = 0, moved;

	printf("another value: %s\n",
	       strerror(-futex(&word, 0, 1, NULL, NULL, 0)));
	printf("time: %s\n", strerror(-futex(&word, 0, 0, &soon, NULL, 0)));
	printf("nobody: %ld\n", futex(&word, 1, 1, NULL, NULL, 0));
	printf("bad address: %s\n",
	       strerror(-futex((int *)8, 0, 1, NULL, NULL, 0)));
	printf("unaligned: %s\n",
	       strerror(-futex((int *)1, 1, 1, NULL, NULL, 0)));
	for (int i = 0; i < count; i++)
		create(&threads[i], sleep_on_word, NULL);
	wait_for_sleepers(&word, count);
	printf("not equal: %s\n",
	       strerror(-futex(&word, 4, 1, (void *)100, &word2, 7)));
	moved = futex(&word, 4, 1, (void *)100, &word2, 0);
	printf("woken and moved: %ld of %d\n", moved, count);
	printf("left: %ld\n", futex(&word, 1, 100, NULL, NULL, 0));
	woken = futex(&word2, 1, 100, NULL, NULL, 0);
	printf("woken there: %ld\n", woken);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

static const struct {
	const char *name;
	void (*run)(int count);
} cases[] = {
	{ "count", run_count },
	{ "hand", run_hand },
	{ "exit", run_exit },
	{ "exec", run_exec },
	{ "kill", run_kill },
	{ "futex", run_futex },
};

int main(int argc, char **argv)
{
	const char *name;
	int count = 4, option;

	while ((option = getopt(argc, argv, "+n:")) != -1) {
		if (option != 'n')
			return 2;
		count = atoi(optarg);
	}
	name = argv[optind] ? argv[optind] : "count";
	if (count < 1 || count > MOST)
		errx(2, "a number of threads from 1 to %d is needed", MOST);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (!strcmp(name, cases[i].name)) {
			cases[i].run(count);
			return 0;
		}
	errx(2, "%s: there is no such case", name);
}
