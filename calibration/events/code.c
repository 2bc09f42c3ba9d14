// SPDX-License-Identifier: GPL-2.0-only
/* How code is fetched: caches of code, branch targets, the return stack, and code that changes. */
#include "clock.h"

#define SIZE (4 << 20)

static uint8_t *area;

static uint64_t call(void *code)
{
	((void (*)(void))code)();
	return 0;
}

#define CALLS 20

static uint64_t call_often(void *code)
{
	for (int i = 0; i < CALLS; i++)
		call(code);
	return 0;
}

static uint8_t *put(uint8_t *at, const char *bytes, int size)
{
	memcpy(at, bytes, size);
	return at + size;
}

/* A loop of additions that do not depend on each other: `add eax, imm32` and the like, five and six bytes. */
static void straight(int kib, int huge)
{
	static const char *const additions[] = { "\x05\1\0\0\0", "\x81\xc1\1\0\0\0", "\x81\xc2\1\0\0\0", "\x81\xc6\1\0\0\0" };
	uint8_t *at = area;
	int n = 0;
	char name[80];

	for (; at < area + (kib << 10) - 8; n++)
		at = put(at, additions[n & 3], n & 3 ? 6 : 5);
	put(at, "\xc3", 1);
	call(area);
	snprintf(name, sizeof name, "an addition in straight code, %s pages: %d KiB", huge ? "huge" : "small", kib);
	print_event(name, shortest(call, area, 60) / n);
}

/* `count` jumps, each to the next, `distance` bytes on. */
static void jumps(int count, int distance)
{
	uint8_t *at = area;
	char name[80];

	for (int i = 0; i < count; i++, at += distance) {
		int32_t displacement = distance - 5;

		memset(at, 0x90, distance);
		put(at, "\xe9", 1);
		memcpy(at + 1, &displacement, 4);
	}
	put(at, "\xc3", 1);
	snprintf(name, sizeof name, "a jump among many, %d bytes apart: %d", distance, count);
	print_event(name, shortest(call_often, area, 50) / CALLS / count);
}

/* Functions that call each other, `depth` deep, and return; a call from here is one more. */
static void nested_calls(int depth)
{
	enum { APART = 64 };
	char name[80];

	for (int i = 0; i < depth; i++) {
		uint8_t *at = area + i * APART;
		int32_t displacement = APART - 5;

		if (i < depth - 1) {
			at = put(at, "\xe8", 1);
			memcpy(at, &displacement, 4);
			at += 4;
		}
		put(at, "\xc3", 1);
	}
	snprintf(name, sizeof name, "nested calls and returns: %d", depth);
	print_event(name, shortest(call_often, area, 100) / CALLS / depth);
}

/* Sixteen calls in turn of a function of which an operand is changed before each. */
static uint64_t change_and_call(void *changes)
{
	for (int i = 0; i < 16; i++) {
		if (changes)
			*(volatile uint8_t *)(area + 1) = i;
		call(area);
	}
	return 0;
}

static uint64_t change_elsewhere_and_call(void *offset)
{
	for (int i = 0; i < 16; i++) {
		*(volatile uint8_t *)(area + (uintptr_t)offset) = i;
		call(area);
	}
	return 0;
}

static void changing(void)
{
	put(area, "\xb8\0\0\0\0\xc3", 6);	/* mov eax, 0; ret */
	print_event("a call of code that does not change", shortest(change_and_call, NULL, 300) / 16);
	print_event("code that is changed and called", shortest(change_and_call, area, 300) / 16);
	print_event("a store into the line that is executed, and a call", shortest(change_elsewhere_and_call, (void *)32, 300) / 16);
	print_event("a store into the page that is executed, and a call", shortest(change_elsewhere_and_call, (void *)2048, 300) / 16);
}

int main(void)
{
	for (int huge = 0; huge < 2; huge++) {
		area = map(SIZE, PROT_READ | PROT_WRITE | PROT_EXEC, huge);
		for (int kib = 8; kib <= 2048; kib *= 2)
			straight(kib, huge);
	}
	for (int distance = 16; distance <= 64; distance *= 2)
		for (int count = 64; count <= 16384; count *= 2)
			jumps(count, distance);
	for (int depth = 1; depth <= 40; depth += depth < 28 ? 3 : 1)
		nested_calls(depth);
	changing();
	return 0;
}
