// SPDX-License-Identifier: GPL-2.0-only
/* Caches, the TLB and prefetching, by how much memory is accessed and in what order. */
#include "clock.h"

#define STEPS 20000

/* Links `count` places, `stride` bytes apart, in a random circle; of each page other lines, so that all sets are used. */
static void **link_circle(char *area, size_t count, size_t stride)
{
	uint32_t *order = malloc(count * sizeof *order);
	void **first;

	for (size_t i = 0; i < count; i++)
		order[i] = i;
	for (size_t i = count - 1; i > 0; i--) {	/* Sattolo's algorithm: one circle */
		size_t j = (((uint64_t)rand() << 31) ^ rand()) % i;
		uint32_t other = order[i];

		order[i] = order[j];
		order[j] = other;
	}
#define PLACE(n) ((void **)(area + (n) * stride + (stride > 64 ? (n) * 64 % stride : 0)))
	first = PLACE(order[0]);
	for (size_t i = 0; i < count; i++)
		*PLACE(order[i]) = PLACE(order[(i + 1) % count]);
	free(order);
	return first;
}

static void *position;

static uint64_t chase(void *unused)
{
	void *at = position;

	(void)unused;
	for (int i = 0; i < STEPS / 4; i++)
		__asm__ volatile(REPEAT4("mov (%0), %0\n") : "+r"(at));
	position = at;
	return (uint64_t)at;
}

static void lines_in_random_order(size_t kib, int huge)
{
	char name[80], *area = map(kib << 10, PROT_READ | PROT_WRITE, huge);

	position = link_circle(area, kib << 4, 64);
	for (size_t done = 0; done < kib << 4; done += STEPS)
		chase(NULL);
	snprintf(name, sizeof name, "load, lines in random order, %s pages: %zu KiB", huge ? "huge" : "small", kib);
	print_event(name, shortest(chase, NULL, 60) / STEPS);
	munmap(area, kib << 10);
}

static void a_line_of_each_page(size_t pages)
{
	char name[80], *area = map(pages << 12, PROT_READ | PROT_WRITE, 0);

	position = link_circle(area, pages, 4096);
	for (size_t done = 0; done < pages; done += STEPS)
		chase(NULL);
	snprintf(name, sizeof name, "load, a line of each page in random order, pages: %zu", pages);
	print_event(name, shortest(chase, NULL, 60) / STEPS);
	munmap(area, pages << 12);
}

struct stream {
	char *area;
	size_t bytes;
};

static uint64_t read_lines(void *argument)
{
	const struct stream *s = argument;
	uint64_t sum = 0;

	for (size_t i = 0; i < s->bytes; i += 256)
		__asm__ volatile("add (%1), %0\n add 64(%1), %0\n add 128(%1), %0\n add 192(%1), %0" : "+r"(sum) : "r"(s->area + i));
	return sum;
}

static uint64_t write_lines(void *argument)
{
	const struct stream *s = argument;

	for (size_t i = 0; i < s->bytes; i += 64)
		__asm__ volatile(
			"mov %0, (%0)\n mov %0, 8(%0)\n mov %0, 16(%0)\n mov %0, 24(%0)\n"
			"mov %0, 32(%0)\n mov %0, 40(%0)\n mov %0, 48(%0)\n mov %0, 56(%0)" :: "r"(s->area + i) : "memory");
	return 0;
}

static void in_order(size_t kib)
{
	struct stream s = { map(kib << 10, PROT_READ | PROT_WRITE, 1), kib << 10 };
	int rounds = kib > 4096 ? 12 : 60;
	char name[80];

	read_lines(&s);
	snprintf(name, sizeof name, "reading a line, in order: %zu KiB", kib);
	print_event(name, shortest(read_lines, &s, rounds) / (kib << 4));
	snprintf(name, sizeof name, "writing a line, in order: %zu KiB", kib);
	print_event(name, shortest(write_lines, &s, rounds) / (kib << 4));
	munmap(s.area, s.bytes);
}

/* The first access to a page that the kernel has not mapped: it is the host's kernel that answers. */
static uint64_t touch(void *argument)
{
	const struct stream *s = argument;

	madvise(s->area, s->bytes, MADV_DONTNEED);
	for (size_t i = 0; i < s->bytes; i += 4096)
		s->area[i] = 1;
	return 0;
}

int main(void)
{
	struct stream pages = { map(256 << 10, PROT_READ | PROT_WRITE, 0), 256 << 10 };

	for (int huge = 0; huge < 2; huge++)
		for (size_t kib = 4; kib <= 65536; kib *= 2)
			lines_in_random_order(kib, huge);
	lines_in_random_order(24, 1);
	lines_in_random_order(40, 1);
	for (size_t pages = 16; pages <= 16384; pages *= 2)
		a_line_of_each_page(pages);
	a_line_of_each_page(48);
	a_line_of_each_page(72);
	a_line_of_each_page(96);
	for (size_t kib = 16; kib <= 65536; kib *= 2)
		in_order(kib);
	print_event("a page's first access, with the kernel's work", shortest(touch, &pages, 60) / 64);
	return 0;
}
