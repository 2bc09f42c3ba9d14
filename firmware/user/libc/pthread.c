/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads on clone, locks and conditions on futexes. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <syscall.h>
#include <unistd.h>

#define STACK_SIZE	65536

#define FUTEX_WAIT	128	/* of this process only */
#define FUTEX_WAKE	129

#define THREAD_FLAGS	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | \
			 CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS | \
			 CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)

/* At the upper end of its stack. */
struct thread {
	struct thread	*self;	/* where the thread pointer points */
	int		tid;	/* the kernel clears it, and wakes us */
	void		*(*function)(void *);
	void		*argument;
	void		*result;
	void		*stack;
};

static void futex_wait(int *word, int value)
{
	arch_syscall(SYS_futex, (long)word, FUTEX_WAIT, value, 0);
}

static void futex_wake(int *word, int count)
{
	arch_syscall(SYS_futex, (long)word, FUTEX_WAKE, count, 0);
}

static int start(void *argument)
{
	struct thread *thread = argument;

	thread->result = thread->function(thread->argument);
	return 0;
}

int pthread_create(pthread_t *to, const void *unused,
		   void *(*function)(void *), void *argument)
{
	char *stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct thread *thread;
	long tid;

	(void)unused;
	if (stack == MAP_FAILED)
		return EAGAIN;
	thread = (struct thread *)(stack + STACK_SIZE) - 1;
	thread->self = thread;
	thread->function = function;
	thread->argument = argument;
	thread->stack = stack;
	tid = __clone(start, thread, THREAD_FLAGS, thread, &thread->tid,
		      thread, &thread->tid);
	if (tid < 0) {
		munmap(stack, STACK_SIZE);
		return -tid;
	}
	*to = thread;
	return 0;
}

int pthread_join(pthread_t thread, void **result)
{
	int tid;

	/* Not a private futex: the kernel's wake-up is for all. */
	while ((tid = __atomic_load_n(&thread->tid, __ATOMIC_ACQUIRE)) != 0)
		arch_syscall(SYS_futex, (long)&thread->tid, 0, tid, 0);
	if (result)
		*result = thread->result;
	munmap(thread->stack, STACK_SIZE);
	return 0;
}

pthread_t pthread_self(void)
{
	return arch_thread_pointer();
}

static int compare_exchange(int *word, int old, int new)
{
	__atomic_compare_exchange_n(word, &old, new, 0, __ATOMIC_SEQ_CST,
				    __ATOMIC_SEQ_CST);
	return old;
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	int seen = compare_exchange(&mutex->word, 0, 1);

	if (seen == 0)
		return 0;
	if (seen != 2)
		seen = __atomic_exchange_n(&mutex->word, 2, __ATOMIC_SEQ_CST);
	while (seen != 0) {
		futex_wait(&mutex->word, 2);
		seen = __atomic_exchange_n(&mutex->word, 2, __ATOMIC_SEQ_CST);
	}
	return 0;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	if (__atomic_exchange_n(&mutex->word, 0, __ATOMIC_SEQ_CST) == 2)
		futex_wake(&mutex->word, 1);
	return 0;
}

int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	int sequence = __atomic_load_n(&cond->sequence, __ATOMIC_SEQ_CST);

	pthread_mutex_unlock(mutex);
	futex_wait(&cond->sequence, sequence);
	return pthread_mutex_lock(mutex);
}

static int notify(pthread_cond_t *cond, int count)
{
	__atomic_fetch_add(&cond->sequence, 1, __ATOMIC_SEQ_CST);
	futex_wake(&cond->sequence, count);
	return 0;
}

int pthread_cond_signal(pthread_cond_t *cond)
{
	return notify(cond, 1);
}

int pthread_cond_broadcast(pthread_cond_t *cond)
{
	return notify(cond, INT_MAX);
}
