/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads, locks and conditions, as small as can be. */
#ifndef PTHREAD_H
#define PTHREAD_H

/* Its stack, and what is known of it, until it has been joined. */
typedef struct thread *pthread_t;

typedef struct {
	int	word;		/* 0: free; 1: held; 2: others wait */
} pthread_mutex_t;

typedef struct {
	int	sequence;	/* of wake-ups */
} pthread_cond_t;

#define PTHREAD_MUTEX_INITIALIZER	{ 0 }
#define PTHREAD_COND_INITIALIZER	{ 0 }

/* Errors are returned, not put into errno. */
int pthread_create(pthread_t *thread, const void *unused,
		   void *(*function)(void *), void *argument);
int pthread_join(pthread_t thread, void **result);
pthread_t pthread_self(void);
int pthread_mutex_lock(pthread_mutex_t *mutex);
int pthread_mutex_unlock(pthread_mutex_t *mutex);
int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);
int pthread_cond_signal(pthread_cond_t *cond);
int pthread_cond_broadcast(pthread_cond_t *cond);

#endif
