/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timers: alarms by the time that a program has used, the clocks that count it,
 * and what is said of that afterwards. Prints what is not as it should be.
 */
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <syscall.h>
#include <time.h>
#include <unistd.h>

#define MS		1000000L

struct itimerval {
	struct timeval it_interval;
	struct timeval it_value;
};

struct itimerspec {
	struct timespec it_interval;
	struct timespec it_value;
};

struct pollfd {
	int fd;
	short events;
	short revents;
};

#define POLLIN	1

struct sigevent {
	long sigev_value;
	int sigev_signo;
	int sigev_notify;
	int sigev_notify_thread_id;
	int pad[11];
};

static unsigned int checks, errors;
static volatile int alarms[32];

static void check(bool ok, const char *what)
{
	checks++;
	if (!ok) {
		printf("timers: %s (errno %d)\n", what, errno);
		errors++;
	}
}

static long call4(long nr, long a, long b, long c, long d)
{
	long value = arch_syscall(nr, a, b, c, d);

	errno = value < 0 ? -value : 0;
	return value;
}

static long call(long nr, long a, long b, long c)
{
	return call4(nr, a, b, c, 0);
}

static void count(int sig)
{
	alarms[sig]++;
}

static long now(int clock)
{
	struct timespec ts = { .tv_sec = -1 };

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000L + ts.tv_nsec;
}

static void burn(long ns)
{
	long end = now(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		for (volatile int i = 0; i < 200; i++)
			;
}

static void *burner(void *ns)
{
	burn((long)ns);
	return NULL;
}

static int set(int which, long value, long interval, struct itimerval *old)
{
	struct itimerval new = {
		.it_interval.tv_usec = interval / 1000,
		.it_value.tv_usec = value / 1000,
	};

	return call(SYS_setitimer, which, (long)&new, (long)old);
}

static void check_itimers(void)
{
	struct timespec half = { .tv_nsec = 20 * MS };
	struct itimerval left;

	check(!set(ITIMER_PROF, 10 * MS, 5 * MS, NULL), "ITIMER_PROF");
	nanosleep(&half, NULL);
	check(!alarms[SIGPROF], "SIGPROF by sleeping");
	burn(31 * MS);
	check(alarms[SIGPROF] >= 3 && alarms[SIGPROF] <= 6, "SIGPROF again and again");
	check(!call(SYS_getitimer, ITIMER_PROF, (long)&left, 0) &&
	      left.it_interval.tv_usec == 5000 && left.it_value.tv_usec > 0 &&
	      left.it_value.tv_usec <= 6000, "what is left of ITIMER_PROF");
	check(!set(ITIMER_PROF, 0, 0, &left) && left.it_interval.tv_usec == 5000,
	      "ITIMER_PROF ends");
	alarms[SIGPROF] = 0;
	burn(10 * MS);
	check(!alarms[SIGPROF], "SIGPROF after the end");

	check(!set(ITIMER_VIRTUAL, 5 * MS, 0, NULL), "ITIMER_VIRTUAL");
	for (int i = 0; i < 60 && !alarms[SIGVTALRM]; i++)
		burn(MS);
	check(alarms[SIGVTALRM] == 1, "SIGVTALRM once");
	check(set(3, 0, 0, NULL) == -EINVAL, "an alarm that there is not");
	if (!fork()) {
		check(!call(SYS_getitimer, ITIMER_PROF, (long)&left, 0) &&
		      !left.it_value.tv_usec, "a child has no alarm");
		_exit(errors);
	}
	wait(NULL);
}

static int clock_of(pid_t pid)
{
	return ~(unsigned int)pid << 3 | 2;
}

static void check_clocks(void)
{
	long own = clock_of(getpid()), parent = clock_of(getppid());
	long thread_before, process_before, thread, process;
	struct timespec ts;
	pthread_t other;

	thread_before = now(CLOCK_THREAD_CPUTIME_ID);
	process_before = now(CLOCK_PROCESS_CPUTIME_ID);
	if (pthread_create(&other, NULL, burner, (void *)(20 * MS)))
		err(2, "cannot make a thread");
	pthread_join(other, NULL);
	thread = now(CLOCK_THREAD_CPUTIME_ID) - thread_before;
	process = now(CLOCK_PROCESS_CPUTIME_ID) - process_before;
	check(process >= 20 * MS, "a process's clock counts all threads");
	check(thread < 10 * MS, "a thread's clock counts only it");
	check(now(own) >= process && now(parent) >= 0, "clocks by number");
	check(call(SYS_clock_gettime, clock_of(30000), (long)&ts, 0) == -EINVAL &&
	      call(SYS_clock_gettime, 12, (long)&ts, 0) == -EINVAL,
	      "clocks that there are not");
	check(!call(SYS_clock_getres, CLOCK_MONOTONIC, (long)&ts, 0) &&
	      ts.tv_nsec == 1, "a fine clock's resolution");
	check(!call(SYS_clock_getres, CLOCK_MONOTONIC_COARSE, (long)&ts, 0) &&
	      ts.tv_nsec == MS, "a coarse clock's resolution");
	check(call(SYS_clock_nanosleep, CLOCK_THREAD_CPUTIME_ID, 0, 0) == -EINVAL,
	      "sleeping by one's own work");
}

static struct itimerspec in_ms(long value, long interval)
{
	return (struct itimerspec){
		.it_value.tv_nsec = value * MS,
		.it_interval.tv_nsec = interval * MS,
	};
}

static void sleep_ms(long ms)
{
	long end = now(CLOCK_MONOTONIC) + ms * MS;

	while (now(CLOCK_MONOTONIC) < end)
		nanosleep(&(struct timespec){ .tv_nsec = MS }, NULL);
}

static int last_overrun, last_code;
static long last_value;

static void take(int sig, siginfo_t *info, void *context)
{
	(void)context;
	alarms[sig]++;
	last_code = info->si_code;
	/* Behind it: the timer's number, its overrun, and its value. */
	last_overrun = ((int *)info)[5];
	last_value = *(long *)((int *)info + 6);
}

static void check_posix_timers(void)
{
	struct sigevent event = { .sigev_value = 4711, .sigev_signo = SIGUSR1 };
	struct sigaction act = { .sa_sigaction = take, .sa_flags = SA_SIGINFO };
	struct itimerspec it = in_ms(2, 2), old;
	sigset_t usr1 = 1UL << (SIGUSR1 - 1);
	int timer = -1, none = -1;

	sigaction(SIGUSR1, &act, NULL);
	check(!call(SYS_timer_create, CLOCK_MONOTONIC, (long)&event,
		    (long)&timer) && timer >= 0, "timer_create()");
	check(!call4(SYS_timer_settime, timer, 0, (long)&it, 0),
	      "timer_settime()");
	sleep_ms(9);
	check(alarms[SIGUSR1] >= 3 && alarms[SIGUSR1] <= 5 &&
	      last_code == -2 && last_value == 4711, "a timer's signals");
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	sleep_ms(11);
	alarms[SIGUSR1] = 0;
	sigprocmask(SIG_UNBLOCK, &usr1, NULL);
	check(alarms[SIGUSR1] == 1 && last_overrun >= 3 && last_overrun <= 6,
	      "one signal for all that was missed");
	check(call(SYS_timer_getoverrun, timer, 0, 0) == last_overrun,
	      "timer_getoverrun()");
	check(!call(SYS_timer_gettime, timer, (long)&old, 0) &&
	      old.it_interval.tv_nsec == 2 * MS && old.it_value.tv_nsec > 0 &&
	      old.it_value.tv_nsec <= 2 * MS, "timer_gettime()");
	it = in_ms(0, 0);
	check(!call4(SYS_timer_settime, timer, 0, (long)&it, (long)&old) &&
	      old.it_interval.tv_nsec == 2 * MS, "what was set before");
	alarms[SIGUSR1] = 0;
	it.it_value.tv_nsec = 1;
	check(!call4(SYS_timer_settime, timer, TIMER_ABSTIME, (long)&it, 0),
	      "a time in the past");
	sleep_ms(1);
	check(alarms[SIGUSR1] == 1, "... has come");
	it = in_ms(1, 1);
	signal(SIGUSR1, SIG_IGN);
	check(!call4(SYS_timer_settime, timer, 0, (long)&it, 0), "ignored");
	sleep_ms(5);
	sigaction(SIGUSR1, &act, NULL);
	alarms[SIGUSR1] = 0;
	sleep_ms(5);
	check(alarms[SIGUSR1] >= 2, "a signal that is no longer ignored");
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	sleep_ms(3);
	check(!call(SYS_timer_delete, timer, 0, 0) &&
	      call(SYS_timer_delete, timer, 0, 0) == -EINVAL, "timer_delete()");
	sigprocmask(SIG_UNBLOCK, &usr1, NULL);

	event.sigev_notify = SIGEV_NONE;
	it = in_ms(3, 0);
	check(!call(SYS_timer_create, CLOCK_REALTIME, (long)&event, (long)&none) &&
	      none != timer && !call4(SYS_timer_settime, none, 0, (long)&it, 0),
	      "a timer without a signal");
	sleep_ms(4);
	check(!call(SYS_timer_gettime, none, (long)&old, 0) &&
	      !old.it_value.tv_nsec, "... has expired");
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_notify_thread_id = 1;
	check(call(SYS_timer_create, CLOCK_REALTIME, (long)&event, (long)&none) ==
	      -EINVAL, "somebody else's thread");
	check(call(SYS_timer_create, 99, 0, (long)&none) == -EINVAL,
	      "a timer of no clock");
}

static void check_timerfd(void)
{
	int fd = call(SYS_timerfd_create, CLOCK_MONOTONIC, 0, 0);
	struct itimerspec it = in_ms(3, 2);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	unsigned long ticks = 0;
	long start;

	check(fd >= 0, "timerfd_create()");
	check(!arch_poll((long)&p, 1, 0), "poll() before");
	start = now(CLOCK_MONOTONIC);
	check(!call4(SYS_timerfd_settime, fd, 0, (long)&it, 0),
	      "timerfd_settime()");
	check(read(fd, &ticks, 8) == 8 && ticks == 1 &&
	      now(CLOCK_MONOTONIC) - start >= 3 * MS, "read() waits");
	sleep_ms(9);
	check(arch_poll((long)&p, 1, 0) == 1 && p.revents == POLLIN,
	      "poll() after");
	check(read(fd, &ticks, 8) == 8 && ticks >= 4 && ticks <= 6,
	      "how often it has come");
	check(!call(SYS_timerfd_gettime, fd, (long)&it, 0) &&
	      it.it_interval.tv_nsec == 2 * MS && it.it_value.tv_nsec > 0 &&
	      it.it_value.tv_nsec <= 2 * MS, "timerfd_gettime()");
	check(read(fd, &ticks, 4) < 0 && errno == EINVAL, "half a number");
	check(call4(SYS_timerfd_settime, 0, 0, (long)&it, 0) == -EINVAL,
	      "what is no timer");
	close(fd);
}

static void check_usage(void)
{
	static char pages[64 * 8192];
	struct rusage before, after, child;
	pid_t pid;

	getrusage(RUSAGE_SELF, &before);
	memset(pages, 1, sizeof(pages));
	burn(12 * MS);
	nanosleep(&(struct timespec){ .tv_nsec = MS }, NULL);
	getrusage(RUSAGE_SELF, &after);
	check(after.ru_minflt >= before.ru_minflt + 64, "page faults");
	check(after.ru_maxrss >= (long)sizeof(pages) >> 10, "the most memory");
	check(after.ru_nvcsw > before.ru_nvcsw, "switches by sleeping");
	check(after.ru_utime.tv_usec + after.ru_stime.tv_usec >=
	      before.ru_utime.tv_usec + before.ru_stime.tv_usec + 8000, "time");
	pid = fork();
	if (!pid) {
		burn(12 * MS);
		_exit(0);
	}
	check(wait4(pid, NULL, 0, &child) == pid &&
	      child.ru_utime.tv_usec + child.ru_stime.tv_usec >= 8000,
	      "a child's time");
	getrusage(RUSAGE_CHILDREN, &after);
	check(after.ru_utime.tv_usec >= child.ru_utime.tv_usec &&
	      after.ru_maxrss >= child.ru_maxrss && child.ru_maxrss > 0,
	      "all children's");
}

int main(void)
{
	signal(SIGPROF, count);
	signal(SIGVTALRM, count);
	check_itimers();
	check_clocks();
	check_posix_timers();
	check_timerfd();
	check_usage();
	printf("timers: %u checks, %u errors\n", checks, errors);
	return errors != 0;
}
