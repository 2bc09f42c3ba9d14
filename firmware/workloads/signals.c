/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * signals CASE: what a program sees of its signals, in words. For tests, and to
 * have something to trace.
 */
#include <err.h>
#include <errno.h>
#include <fault.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <syscall.h>
#include <time.h>
#include <unistd.h>

static volatile int caught;
static volatile int depth, deepest;

static void count(int signal)
{
	caught++;
	(void)signal;
}

static void install(int signal, void (*handler)(int), unsigned long flags)
{
	struct sigaction act = { .sa_flags = flags };

	act.sa_handler = handler;
	if (sigaction(signal, &act, NULL) < 0)
		err(1, "sigaction");
}

static void install_info(int signal, void (*handler)(int, siginfo_t *, void *),
			 unsigned long flags)
{
	struct sigaction act = { .sa_flags = flags | SA_SIGINFO };

	act.sa_sigaction = handler;
	if (sigaction(signal, &act, NULL) < 0)
		err(1, "sigaction");
}

static void sleep_ms(long ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&ts, NULL);
}

/* A child that sends its parent a signal after a while. */
static pid_t send_later(int signal, long ms)
{
	pid_t parent = getpid(), pid = fork();

	if (pid == 0) {
		sleep_ms(ms);
		kill(parent, signal);
		_exit(0);
	}
	return pid;
}

static void test_handler(void)
{
	long sum = 0;

	install(SIGUSR1, count, 0);
	for (long i = 0; i < 100; i++) {
		sum += i;
		raise(SIGUSR1);
	}
	printf("caught %d, sum %ld\n", caught, sum);
}

static void show_info(int signal, siginfo_t *info, void *context)
{
	printf("signal %d code %d from %s value %d\n", info->si_signo - signal,
	       info->si_code, info->si_pid == getpid() ? "me" : "another",
	       info->si_code == SI_QUEUE ? info->si_value.sival_int : 0);
	(void)context;
}

/* Real-time signals queue, in order; the others do not. */
static void test_queue(void)
{
	sigset_t set;

	install_info(SIGRTMIN + 1, show_info, 0);
	install_info(SIGUSR1, show_info, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 1);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 1; i <= 3; i++) {
		union sigval value = { .sival_int = i * 11 };

		if (sigqueue(getpid(), SIGRTMIN + 1, value) < 0)
			err(1, "sigqueue");
		kill(getpid(), SIGUSR1);
	}
	sigpending(&set);
	printf("pending %d %d %d\n", sigismember(&set, SIGUSR1),
	       sigismember(&set, SIGRTMIN + 1), sigismember(&set, SIGUSR2));
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* A read goes on after the handler, or not; a sleep never does. */
static void test_restart(void)
{
	struct timespec ts = { 1, 0 }, left = { 0, 0 };
	char c = '?';
	int fds[2];
	ssize_t n;

	if (pipe(fds) < 0)
		err(1, "pipe");
	install(SIGUSR1, count, SA_RESTART);
	if (fork() == 0) {
		sleep_ms(2);
		kill(getppid(), SIGUSR1);
		sleep_ms(2);
		write(fds[1], "x", 1);
		_exit(0);
	}
	n = read(fds[0], &c, 1);
	printf("with SA_RESTART: %ld %c, caught %d\n", n, c, caught);
	install(SIGUSR1, count, 0);
	send_later(SIGUSR1, 2);
	n = read(fds[0], &c, 1);
	printf("without: %ld %s, caught %d\n", n, strerror(errno), caught);
	install(SIGUSR1, count, SA_RESTART);
	send_later(SIGUSR1, 2);
	n = nanosleep(&ts, &left);
	printf("sleep: %ld %s, some left %d\n", n, strerror(errno),
	       left.tv_sec == 0 && left.tv_nsec > 900000000);
}

static void nest(int signal)
{
	if (++depth > deepest)
		deepest = depth;
	if (++caught < 3)
		raise(signal);
	depth--;
}

static void test_nodefer(void)
{
	install(SIGUSR1, nest, 0);
	raise(SIGUSR1);
	printf("deferred: caught %d, depth %d\n", caught, deepest);
	caught = deepest = 0;
	install(SIGUSR1, nest, SA_NODEFER);
	raise(SIGUSR1);
	printf("SA_NODEFER: caught %d, depth %d\n", caught, deepest);
	install(SIGUSR1, count, SA_RESETHAND);
	raise(SIGUSR1);
	printf("SA_RESETHAND\n");
	fflush(stdout);
	raise(SIGUSR1);
	printf("not reached\n");
}

static char altstack[32768];

static void on_altstack(int signal, siginfo_t *info, void *context)
{
	char here;
	stack_t now;

	sigaltstack(NULL, &now);
	printf("on the alternate stack %d, flags %d\n",
	       &here >= altstack && &here < altstack + sizeof(altstack),
	       now.ss_flags);
	if (signal == SIGSEGV) {
		fflush(stdout);
		_exit(0);
	}
	(void)info;
	(void)context;
}

static long overflow(long n)
{
	volatile char room[4096];

	room[0] = n;
	return n < 1 << 20 ? overflow(n + 1) + room[0] : n;
}

static void test_altstack(void)
{
	stack_t stack = { .ss_sp = altstack, .ss_size = sizeof(altstack) };

	if (sigaltstack(&stack, NULL) < 0)
		err(1, "sigaltstack");
	install_info(SIGUSR1, on_altstack, SA_ONSTACK);
	raise(SIGUSR1);
	install_info(SIGUSR2, on_altstack, 0);
	raise(SIGUSR2);
	install_info(SIGSEGV, on_altstack, SA_ONSTACK);
	printf("%ld\n", overflow(0));
}

static void test_suspend(void)
{
	sigset_t set, old, now;

	install(SIGUSR1, count, 0);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, &old);
	send_later(SIGUSR1, 2);
	sigemptyset(&set);
	sigsuspend(&set);
	printf("%s, caught %d\n", strerror(errno), caught);
	sigprocmask(SIG_BLOCK, NULL, &now);
	printf("blocked again %d\n", sigismember(&now, SIGUSR1));
}

static void test_timedwait(void)
{
	struct timespec soon = { 0, 1000000 };
	siginfo_t info;
	sigset_t set;
	int got;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	got = sigtimedwait(&set, &info, &soon);
	printf("%d %s\n", got, strerror(errno));
	send_later(SIGUSR1, 2);
	got = sigtimedwait(&set, &info, NULL);
	printf("%d, code %d\n", got - SIGUSR1, info.si_code);
}

static char *volatile expected;

static void show_fault(int signal, siginfo_t *info, void *context)
{
	const char *name = signal == SIGSEGV ? "SIGSEGV" :
			   signal == SIGBUS ? "SIGBUS" :
			   signal == SIGFPE ? "SIGFPE" :
			   signal == SIGILL ? "SIGILL" :
			   signal == SIGTRAP ? "SIGTRAP" : "?";

	printf("%s code %d", name, info->si_code);
	if (signal == SIGSEGV)
		printf(" address %s", info->si_addr == expected ? "right" :
								   "wrong");
	printf("\n");
	fflush(stdout);
	_exit(0);
	(void)context;
}

static void in_child(void (*fault)(void))
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL,
				       SIGTRAP };

	fflush(stdout);
	if (fork() == 0) {
		for (int i = 0; i < 5; i++)
			install_info(signals[i], show_fault, 0);
		fault();
		_exit(1);
	}
	wait(NULL);
}

static void write_unmapped(void)
{
	expected = (char *)0x10123;
	*(volatile char *)expected = 1;
}

static void write_readonly(void)
{
	char *page = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	expected = page + 0x321;
	*(volatile char *)expected = 1;
}

static void divide_by_zero(void)
{
	arch_divide_by_zero();
}

static void undefined(void)
{
	arch_undefined();
}

static void breakpoint(void)
{
	arch_breakpoint();
}

static void test_faults(void)
{
	in_child(write_unmapped);
	in_child(write_readonly);
	in_child(divide_by_zero);
	in_child(undefined);
	in_child(breakpoint);
}

static void show_status(const char *what, int status)
{
	if (WIFSTOPPED(status))
		printf("%s: stopped by %s\n", what,
		       WSTOPSIG(status) == SIGSTOP ? "SIGSTOP" : "another");
	else if (WIFCONTINUED(status))
		printf("%s: continued\n", what);
	else if (WIFSIGNALED(status))
		printf("%s: killed by %d%s\n", what, WTERMSIG(status),
		       WCOREDUMP(status) ? ", core" : "");
	else
		printf("%s: exit %d\n", what, WEXITSTATUS(status));
}

static void test_stop(void)
{
	int status;
	pid_t pid;

	install(SIGCHLD, count, SA_RESTART);
	pid = fork();
	if (pid == 0) {
		for (;;)
			pause();
	}
	kill(pid, SIGSTOP);
	waitpid(pid, &status, WUNTRACED);
	show_status("SIGSTOP", status);
	printf("again: %d\n", waitpid(pid, &status, WUNTRACED | WNOHANG));
	kill(pid, SIGCONT);
	waitpid(pid, &status, WCONTINUED);
	show_status("SIGCONT", status);
	while (caught < 2)	/* or the next one becomes one with it */
		sched_yield();
	kill(pid, SIGSTOP);
	waitpid(pid, &status, WUNTRACED);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	show_status("SIGKILL", status);
	printf("SIGCHLD came %s\n", caught >= 4 ? "each time" : "too rarely");
	pid = fork();
	if (pid == 0)
		raise(SIGSEGV);
	waitpid(pid, &status, 0);
	show_status("SIGSEGV", status);
}

/* Frames that ask for more than a program may have. */
static void forge(int signal, siginfo_t *info, void *context)
{
	memset(context, 0xff, 512);
	(void)signal;
	(void)info;
}

static void test_forged(void)
{
	install_info(SIGUSR1, forge, 0);
	raise(SIGUSR1);
	printf("not reached\n");
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "handler", test_handler },
	{ "queue", test_queue },
	{ "restart", test_restart },
	{ "nodefer", test_nodefer },
	{ "altstack", test_altstack },
	{ "suspend", test_suspend },
	{ "timedwait", test_timedwait },
	{ "faults", test_faults },
	{ "stop", test_stop },
	{ "forged", test_forged },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(cases) / sizeof(*cases); i++)
		if (!strcmp(argv[1], cases[i].name)) {
			cases[i].run();
			return 0;
		}
	fprintf(stderr, "usage: signals CASE\n");
	return 2;
}
