/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Time in cycles of the core: in units of what one of a chain of dependent additions takes. Programs print a line
 * NAME<tab>CYCLES for each event. They are compiled with _GNU_SOURCE.
 */
#ifndef CLOCK_H
#define CLOCK_H

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <x86intrin.h>

#define REPEAT4(x) x x x x
#define REPEAT16(x) REPEAT4(REPEAT4(x))
#define ROUNDS 300

static inline uint64_t now(void)
{
	uint64_t ticks;

	_mm_lfence();
	ticks = __rdtsc();
	_mm_lfence();
	return ticks;
}

/* Ticks of the time stamp counter in a cycle, at the moment. */
static inline double ticks_of_cycle(void)
{
	uint64_t best = ~0ull;

	for (int round = 0; round < 40; round++) {
		uint64_t begin = now();

		for (int i = 0; i < 100; i++)
			__asm__ volatile(REPEAT16(REPEAT4("add %%rax, %%rax\n")) ::: "rax", "cc");
		begin = now() - begin;
		best = begin < best ? begin : best;
	}
	return best / 6400.0;
}

static inline void print_event(const char *name, double ticks)
{
	printf("%s\t%.3f\n", name, ticks / ticks_of_cycle());
	fflush(stdout);
}

/* Ticks that `code` takes with an argument: the shortest of some rounds. */
static inline double shortest(uint64_t (*code)(void *), void *argument, int rounds)
{
	uint64_t best = ~0ull;

	for (int round = 0; round < rounds; round++) {
		uint64_t begin = now(), time;

		code(argument);
		time = now() - begin;
		best = time < best ? time : best;
	}
	return best;
}

static inline void *map(size_t bytes, int protection, int huge)
{
	size_t size = bytes + (2 << 20);	/* so that it can begin where a huge page does */
	char *area = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	area = (char *)(((uintptr_t)area + (2 << 20) - 1) & -(uintptr_t)(2 << 20));
	madvise(area, bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	memset(area, 0, bytes);
	return area;
}

static inline void use_cpu(int number)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(number, &set);
	sched_setaffinity(0, sizeof set, &set);
}

#endif
