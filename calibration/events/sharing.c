// SPDX-License-Identifier: GPL-2.0-only
/* What it costs that two CPUs use one line. CPU 0 is timed, CPU 1 disturbs it. */
#include <pthread.h>

#include "clock.h"

#define N 2000

enum task { REST, LOCKED, STORE, LOAD, ADD, CODE, STOP };

static struct {
	_Alignas(128) volatile uint64_t own;
	volatile uint64_t beside;
	_Alignas(128) volatile uint64_t other;
	_Alignas(128) volatile enum task task;
	_Alignas(128) volatile uint64_t done;	/* by the disturbing CPU */
	_Alignas(128) volatile uint64_t turn;
} shared;
static volatile uint64_t *target;
static uint8_t *code;

static void *disturb(void *unused)
{
	(void)unused;
	use_cpu(1);
	for (;;) {
		shared.done++;
		switch (shared.task) {
		case LOCKED: __asm__ volatile("lock incq %0" : "+m"(*target)); break;
		case ADD: __asm__ volatile("incq %0" : "+m"(*target)); break;
		case STORE: *target = 1; break;
		case LOAD: (void)*target; break;
		case CODE:
			*(volatile uint8_t *)(code + 1) = shared.done;
			for (int i = 0; i < 100; i++)
				_mm_pause();
			break;
		case STOP: return NULL;
		case REST: _mm_pause(); break;
		}
	}
}

static uint64_t locked(void *word)
{
	for (int i = 0; i < N; i++)
		__asm__ volatile("lock incq %0" : "+m"(*(volatile uint64_t *)word));
	return 0;
}

static uint64_t stored(void *word)
{
	for (int i = 0; i < N; i++)
		*(volatile uint64_t *)word = i;
	return 0;
}

static uint64_t loaded(void *word)
{
	for (int i = 0; i < N; i++)
		(void)*(volatile uint64_t *)word;
	return 0;
}

static uint64_t called(void *function)
{
	for (int i = 0; i < N; i++)
		((void (*)(void))function)();
	return 0;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Starts a task, and waits until the other CPU is at it. */
static void set_task(enum task task)
{
	uint64_t done = shared.done;

	shared.task = task;
	while (shared.done < done + 100)
		_mm_pause();
}

/* The median of rounds in which the other CPU was at its task, too: a shared host may have stopped it. */
static void with(const char *name, uint64_t (*work)(void *), void *argument, enum task task, volatile uint64_t *word)
{
	enum { TIMES = 301 };
	uint64_t times[TIMES];
	int count = 0;

	target = word;
	set_task(task);
	for (int round = 0; count < TIMES && round < 20 * TIMES; round++) {
		uint64_t done = shared.done, begin = now();

		work(argument);
		begin = now() - begin;
		if (shared.done - done > N / 50)
			times[count++] = begin;
	}
	set_task(REST);
	if (!count)
		return;
	qsort(times, count, sizeof *times, compare);
	print_event(name, (double)times[count / 2] / N);
}

/* A word goes from one CPU to the other and back. */
static void *answer(void *unused)
{
	(void)unused;
	use_cpu(1);
	for (uint64_t turn = 1; turn < 2 * 200000; turn += 2) {
		while (shared.turn != turn)
			;
		shared.turn = turn + 1;
	}
	return NULL;
}

static void ping_pong(void)
{
	uint64_t best = ~0ull;
	pthread_t thread;

	shared.turn = 0;
	pthread_create(&thread, NULL, answer, NULL);
	for (int round = 0; round < 200; round++) {
		uint64_t begin = now();

		for (int i = 0; i < 1000; i++) {
			uint64_t turn = shared.turn + 1;

			shared.turn = turn;
			while (shared.turn == turn)
				;
		}
		begin = now() - begin;
		best = begin < best ? begin : best;
	}
	pthread_join(thread, NULL);
	print_event("a word to another CPU and back", best / 1000.0);
}

/* The median of rounds in which there were changes: how much longer it took than without, for each change. */
static void changing_code(void)
{
	enum { TIMES = 301 };
	uint64_t times[TIMES];
	double quiet;
	int count = 0;

	code = map(4096, PROT_READ | PROT_WRITE | PROT_EXEC, 0);
	memcpy(code, "\xb8\0\0\0\0\xc3", 6);	/* mov eax, 0; ret */
	quiet = shortest(called, code, 200);
	set_task(CODE);
	for (int round = 0; count < TIMES && round < 20 * TIMES; round++) {
		uint64_t done = shared.done, begin = now();

		called(code);
		begin = now() - begin;
		done = shared.done - done;
		if (done)
			times[count++] = begin > quiet ? (begin - quiet) / done : 0;
	}
	set_task(REST);
	if (!count)
		return;
	qsort(times, count, sizeof *times, compare);
	print_event("a change by another CPU of code that is executed", times[count / 2]);
}

int main(void)
{
	pthread_t thread;

	use_cpu(0);
	pthread_create(&thread, NULL, disturb, NULL);
	with("lock inc, the other CPU rests", locked, (void *)&shared.own, REST, &shared.other);
	with("lock inc, the other CPU too, in its own line", locked, (void *)&shared.own, LOCKED, &shared.other);
	with("lock inc, the other CPU too, of the same word", locked, (void *)&shared.own, LOCKED, &shared.own);
	with("lock inc, the other CPU too, in the same line", locked, (void *)&shared.own, LOCKED, &shared.beside);
	with("lock inc, the other CPU loads the word", locked, (void *)&shared.own, LOAD, &shared.own);
	with("store, the other CPU rests", stored, (void *)&shared.own, REST, &shared.other);
	with("store, the other CPU too, in the same line", stored, (void *)&shared.own, STORE, &shared.beside);
	with("store, the other CPU loads from the same line", stored, (void *)&shared.own, LOAD, &shared.beside);
	with("load, the other CPU stores into the same line", loaded, (void *)&shared.own, STORE, &shared.beside);
	with("load, the other CPU increments in the same line", loaded, (void *)&shared.own, LOCKED, &shared.beside);
	changing_code();
	shared.task = STOP;
	pthread_join(thread, NULL);
	ping_pong();
	return 0;
}
