// SPDX-License-Identifier: GPL-2.0-only
/* Instructions that are events of their own, and branches. Each is in a loop; the loop's own two instructions are included. */
#include "clock.h"

#define N 1000

static char area[1 << 18] __attribute__((aligned(4096)));
static void *targets[16];

/* `body` N times. It may use all registers but rsp, rbx (the area), r12 (the count) and r15, and the stack. */
#define LOOP(name, setup, body) do {								\
	uint64_t best = ~0ull;									\
	for (int round = 0; round < ROUNDS; round++) {						\
		uint64_t n = N, begin = now();							\
		__asm__ volatile(								\
			"mov %%rsp, %%r15\n sub $4096, %%rsp\n" setup "\n .p2align 6\n"		\
			"1:\n" body "\n dec %0\n jnz 1b\n mov %%r15, %%rsp\n"			\
			: "+r"(n) : "b"(area) : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r13", "r14", "r15",\
			"xmm0", "xmm1", "memory", "cc");					\
		begin = now() - begin;								\
		best = begin < best ? begin : best;						\
	}											\
	print_event(name, (double)best / N);							\
} while (0)

#define RANDOM "imul $0x5851f42d, %%rax, %%rax\n add $12345, %%rax\n"
#define JUMP(distance) "jmp 2f\n .p2align " #distance "\n2:\n"
#define STRING(instruction, size)								\
	LOOP("rep " instruction ", " #size " bytes", "xor %%eax, %%eax",			\
	     "mov $" #size ", %%ecx\n lea 64(%%rbx), %%rdi\n lea 131136(%%rbx), %%rsi\n rep " instruction)
#define DIVISION(kind, width, a, c, name, dividend, divisor, extend)				\
	LOOP(kind " of " width " bits, " #dividend " / " #divisor, "mov $" #divisor ", " c,	\
	     "mov $" #dividend ", " a "\n and $0, %%r8d\n or %%r8, %%rax\n" extend "\n " name " " c "\n mov %%rax, %%r8")

static void simple(void)
{
	LOOP("loop", "", "");
	LOOP("lock add", "", "lock addq $1, (%%rbx)");
	LOOP("lock add, lines in turn", "xor %%eax, %%eax", "lock addq $1, (%%rbx, %%rax)\n add $64, %%eax\n and $1023, %%eax");
	LOOP("add to memory", "", "addq $1, (%%rbx)");
	LOOP("add to 4 bytes of memory", "", "addl $1, (%%rbx)");
	LOOP("add to 4 bytes of the stack", "", "addl $1, 64(%%rsp)");
	LOOP("xchg with memory", "", "xchg %%rax, (%%rbx)");
	LOOP("lock cmpxchg", "", "lock cmpxchg %%rcx, (%%rbx)");
	LOOP("cmpxchg", "", "cmpxchg %%rcx, (%%rbx)");
	LOOP("lock xadd", "", "lock xadd %%rcx, (%%rbx)");
	LOOP("store, mfence", "", "mov %%rax, (%%rbx)\n mfence");
	LOOP("mfence", "", "mfence");
	LOOP("lfence", "", "lfence");
	LOOP("store, sfence", "", "mov %%rax, (%%rbx)\n sfence");
	LOOP("sfence", "", "sfence");
	LOOP("rdtsc", "", "rdtsc");
	LOOP("rdtscp", "", "rdtscp");
	LOOP("pause", "", "pause");
	LOOP("push, pop", "", "push %%rax\n pop %%rax");
	LOOP("8 independent additions", "", "add $1, %%r8d\n add $1, %%r9d\n add $1, %%r10d\n add $1, %%r11d\n"
	     "add $1, %%ecx\n add $1, %%edx\n add $1, %%eax\n add $1, %%esi");
	LOOP("syscall getppid", "", "mov $110, %%eax\n syscall");
}

static void divisions(void)
{
	DIVISION("div", "32", "%%eax", "%%ecx", "divl", 7, 9, "xor %%edx, %%edx");
	DIVISION("div", "32", "%%eax", "%%ecx", "divl", 1000, 10, "xor %%edx, %%edx");
	DIVISION("div", "32", "%%eax", "%%ecx", "divl", 2000000000, 3, "xor %%edx, %%edx");
	DIVISION("idiv", "32", "%%eax", "%%ecx", "idivl", 1000, 10, "cltd");
	DIVISION("div", "64", "%%rax", "%%rcx", "divq", 7, 9, "xor %%edx, %%edx");
	DIVISION("div", "64", "%%rax", "%%rcx", "divq", 1000, 10, "xor %%edx, %%edx");
	DIVISION("div", "64", "%%rax", "%%rcx", "divq", 2000000000, 3, "xor %%edx, %%edx");
	DIVISION("idiv", "64", "%%rax", "%%rcx", "idivq", 2000000000, 3, "cqto");
	LOOP("division's setting, without it", "", "mov $7, %%rax\n and $0, %%r8d\n or %%r8, %%rax\n xor %%edx, %%edx\n mov %%rax, %%r8");
}

static void branches(void)
{
	LOOP("call and return", "", "call 2f\n jmp 3f\n2: ret\n3:");
	LOOP("call and return diverted on the stack", "", "call 2f\n jmp 3f\n2: lea 3f(%%rip), %%rax\n mov %%rax, (%%rsp)\n ret\n3:");
	LOOP("call and return elsewhere by a jump", "", "call 2f\n jmp 3f\n2: lea 8(%%rsp), %%rsp\n jmp 3f\n3:");
	LOOP("random branch", "", RANDOM "bt $27, %%eax\n jc 2f\n nop\n2:");
	LOOP("random branch, but never taken", "", RANDOM "bt $64, %%rcx\n cmp $1, %%rsp\n jc 2f\n nop\n2:");
	LOOP("random branch that waits for a load from L1", "", RANDOM "mov %%rax, %%rcx\n and $4088, %%ecx\n"
	     "add (%%rbx, %%rcx), %%rcx\n bt $27, %%eax\n adc $0, %%ecx\n test $1, %%cl\n jz 2f\n nop\n2:");
	LOOP("1 jump to the next instruction", "", JUMP(0));
	LOOP("2 jumps over 16 bytes", "", JUMP(4) JUMP(4));
	LOOP("4 jumps over 16 bytes", "", JUMP(4) JUMP(4) JUMP(4) JUMP(4));
	LOOP("16 jumps over 16 bytes", "", REPEAT16(JUMP(4)));
	LOOP("4 jumps over 64 bytes", "", JUMP(6) JUMP(6) JUMP(6) JUMP(6));
	LOOP("16 jumps over 64 bytes", "", REPEAT16(JUMP(6)));
	LOOP("16 conditional jumps, taken", "xor %%eax, %%eax", REPEAT16("test %%eax, %%eax\n jz 2f\n nop\n .p2align 4\n2:\n"));
	LOOP("16 conditional jumps, not taken", "xor %%eax, %%eax", REPEAT16("test %%eax, %%eax\n jnz 2f\n nop\n .p2align 4\n2:\n"));
}

/* An indirect jump to `count` targets in turn. */
static void indirect(int count)
{
	char name[64];
	uint64_t best = ~0ull;

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t n = N, mask = count - 1, begin = now();

		__asm__ volatile(
			"lea 5f(%%rip), %%rax\n mov $16, %%ecx\n lea %2, %%rdx\n"
			"4: mov %%rax, (%%rdx)\n add $16, %%rax\n add $8, %%rdx\n dec %%ecx\n jnz 4b\n"
			"1: mov %0, %%rax\n and %1, %%rax\n lea %2, %%rdx\n jmp *(%%rdx, %%rax, 8)\n"
			".p2align 4\n5:\n" REPEAT16("jmp 3f\n .p2align 4\n")
			"3: dec %0\n jnz 1b\n"
			: "+r"(n) : "r"(mask), "m"(targets) : "rax", "rcx", "rdx", "memory", "cc");
		begin = now() - begin;
		best = begin < best ? begin : best;
	}
	snprintf(name, sizeof name, "indirect jump, targets in turn: %d", count);
	print_event(name, (double)best / N);
}

static void strings(void)
{
	STRING("stosb", 16); STRING("stosb", 64); STRING("stosb", 256); STRING("stosb", 1024); STRING("stosb", 4096);
	STRING("stosb", 65536);
	STRING("movsb", 16); STRING("movsb", 64); STRING("movsb", 256); STRING("movsb", 1024); STRING("movsb", 4096);
	STRING("movsb", 65536);
	STRING("stosq", 8); STRING("stosq", 64); STRING("stosq", 512);
	STRING("movsq", 8); STRING("movsq", 64); STRING("movsq", 512);
}

/* The value goes round: from a register to memory and back. */
static void forwarding(void)
{
	LOOP("forwarding: 8 bytes, rbx", "", "mov %%rax, 64(%%rbx)\n mov 64(%%rbx), %%rax");
	LOOP("forwarding: 8 bytes, rsp", "", "mov %%rax, 64(%%rsp)\n mov 64(%%rsp), %%rax");
	LOOP("forwarding: 8 bytes, another register", "mov %%rbx, %%r13", "mov %%rax, 64(%%rbx)\n mov 64(%%r13), %%rax");
	LOOP("forwarding: 8 bytes, after a jump", "", "mov %%rax, 64(%%rbx)\n jmp 2f\n nop\n2: mov 64(%%rbx), %%rax");
	LOOP("forwarding: 8 bytes, with an index", "xor %%ecx, %%ecx", "mov %%rax, 64(%%rbx, %%rcx)\n mov 64(%%rbx, %%rcx), %%rax");
	LOOP("forwarding: 8 bytes, the store's address moves", "xor %%ecx, %%ecx", "mov %%rax, 64(%%rbx, %%rcx)\n"
	     "mov 64(%%rbx, %%rcx), %%rax\n add $8, %%ecx\n and $2047, %%ecx");
	LOOP("forwarding: 4 of 8 bytes", "", "mov %%rax, 64(%%rbx)\n mov 64(%%rbx), %%eax");
	LOOP("forwarding: 4 upper of 8 bytes", "", "mov %%rax, 64(%%rbx)\n mov 68(%%rbx), %%eax");
	LOOP("forwarding: 1 of 8 bytes", "", "mov %%rax, 64(%%rbx)\n movzbl 64(%%rbx), %%eax");
	LOOP("forwarding: 1 byte", "", "mov %%al, 64(%%rbx)\n movzbl 64(%%rbx), %%eax");
	LOOP("forwarding: 8 bytes of two stores", "", "mov %%eax, 64(%%rbx)\n mov %%eax, 68(%%rbx)\n mov 64(%%rbx), %%rax");
	LOOP("forwarding: 8 bytes of which 4 were stored", "", "mov %%eax, 64(%%rbx)\n mov 64(%%rbx), %%rax");
	LOOP("forwarding: 8 bytes that overlap 4 of those stored", "", "mov %%rax, 64(%%rbx)\n mov 68(%%rbx), %%rax");
	LOOP("forwarding: 8 bytes in two lines", "", "mov %%rax, 60(%%rbx)\n mov 60(%%rbx), %%rax");
	LOOP("forwarding: 16 bytes, vectors", "", "movups %%xmm0, 64(%%rbx)\n movups 64(%%rbx), %%xmm0");
	LOOP("load in two lines", "movq $0, 60(%%rbx)\n xor %%eax, %%eax", "mov 60(%%rbx, %%rax), %%rax");
	LOOP("load in two pages", "movq $0, 4092(%%rbx)\n xor %%eax, %%eax", "mov 4092(%%rbx, %%rax), %%rax");
	LOOP("store in two lines", "", "mov %%rax, 60(%%rbx)");
	LOOP("store in two pages", "", "mov %%rax, 4092(%%rbx)");
	LOOP("load that hits L1, plain", "movq $0, 64(%%rbx)\n xor %%eax, %%eax", "mov 64(%%rax, %%rbx), %%rax\n");
	LOOP("load of a vector that hits L1, and back", "movq $0, 64(%%rbx)\n xor %%eax, %%eax",
	     "movq 64(%%rbx, %%rax), %%xmm0\n movq %%xmm0, %%rax");
}

int main(void)
{
	simple();
	divisions();
	branches();
	for (int count = 1; count <= 16; count *= 2)
		indirect(count);
	strings();
	forwarding();
	return 0;
}
