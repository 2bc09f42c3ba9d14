// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures straight-line blocks of x86-64 code on this machine.
 *
 *	native SECONDS				how busy the machine is: a line STORES ADDITIONS for each look
 *	native STORES ADDITIONS < LINES		measures, while it is no busier than that
 *
 * A line is the block in hexadecimal, and for each operand relative to `rip` a word OFFSET:END:TARGET: where its
 * displacement is, where its instruction ends, and what absolute address it shall mean. The answer is a line
 *
 *	BLOCK CYCLES TICKS ROUNDS	or	BLOCK failed REASON
 *
 * with the cycles that one repetition takes, the ticks of the time stamp counter in one cycle, and how many rounds were
 * needed to find enough quiet ones.
 *
 * In each round, the block is unrolled FEW and MANY times, and costs (t(MANY) - t(FEW)) / (MANY - FEW). The unit is what
 * one of a chain of dependent additions takes in the same round. So cycles are the core's, whatever its frequency.
 * The block's cycles are the median of QUIET rounds.
 *
 * A round is quiet if, before and after it, stores and independent additions are as fast as this machine can do them: the
 * other hardware thread of the core, which may belong to another guest of the host, then sleeps. If it does not, it takes
 * execution units and halves buffers, and blocks seem up to twice as slow.
 *
 * Each block runs in its own process. Each general register begins with an address of its own, and every page that is
 * accessed is mapped and holds one address everywhere. So any pointer can be followed, as in BHive (Chen et al., 2019).
 */
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Addresses in the child. Those of registers differ in bits 6 to 11, too, as loads and stores are first compared by them. */
#define REGISTER(n) (0x10000000ull + (n) * 0x1000c0ull)
#define LOADED 0x20000600ull	/* what memory holds */
#define SEGMENT 0x30000000ull	/* the base of GS */
#define CELL 0x40000000		/* begin, end, saved stack pointer, repetitions to go, MXCSR */
#define RELATIVE 0x50000000ull	/* what operands relative to `rip` mean */
#define RELATIVE_SIZE 0x20000
#define CODE 0x60000000ull

#define REPETITIONS 16
#define QUIET 9		/* rounds that are wanted */
#define AT_ONCE 32		/* rounds on one CPU, before the next one is tried */
#define LONGEST 120		/* seconds to wait for quiet rounds */
#define MOST_PAGES 64
#define MOST_BYTES 6000		/* of unrolled code, so that it stays in the caches of code */
#define UNITS 400
#define XSTR(x) #x
#define STR(x) XSTR(x)

struct cell {
	uint64_t begin, end, stack;
	uint32_t to_go, mxcsr;
};

/* The parts between which the block is put. They are copied, and use absolute addresses only. */
__asm__(".intel_syntax noprefix\n"
	"enter:\n"
	"	push rbx\n push rbp\n push r12\n push r13\n push r14\n push r15\n"
	"	mov [" STR(CELL) " + 16], rsp\n"
	"	lfence\n rdtsc\n shl rdx, 32\n or rax, rdx\n"
	"	mov [" STR(CELL) "], rax\n"
	"enter_end:\n"
	"start:\n"
	"	cld\n lfence\n"
	"start_end:\n"
	"again:\n"
	"	dec dword ptr [" STR(CELL) " + 24]\n"
	"	.byte 0x0f, 0x85\n"	/* jnz, with the displacement still to come */
	"again_end:\n"
	"leave:\n"
	"	lfence\n rdtsc\n shl rdx, 32\n or rax, rdx\n"
	"	mov [" STR(CELL) " + 8], rax\n"
	"	mov rsp, [" STR(CELL) " + 16]\n"
	"	cld\n pop r15\n pop r14\n pop r13\n pop r12\n pop rbp\n pop rbx\n ret\n"
	"leave_end:\n"
	".att_syntax\n");
#define PART(name) extern const uint8_t name[], name##_end[]
PART(enter); PART(start); PART(again); PART(leave);
#define COPY(at, name) copy(at, name, name##_end - name)

struct relative {
	int offset, end;
	uint64_t target;
};

struct block {
	uint8_t code[2048];
	int size;
	struct relative relatives[16];
	int relative_count;
};

enum { WILD = 3, NO_MEMORY, SIGNAL, BUSY };

static struct cell *const cell = (struct cell *)CELL;
static int mapped;

static void map(uint64_t address, size_t size, int protection)
{
	void *at = mmap((void *)address, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (at != (void *)address)
		_exit(NO_MEMORY);
}

static void fill(uint64_t address, size_t size)
{
	for (uint64_t *word = (uint64_t *)address; word < (uint64_t *)(address + size); word++)
		*word = LOADED;
}

/* Maps the page that was accessed. */
static void fault(int number, siginfo_t *info, void *context)
{
	uint64_t page = (uint64_t)info->si_addr & ~4095ull;

	(void)number, (void)context;
	if (page < 0x10000 || page >> 46 || ++mapped > MOST_PAGES)
		_exit(WILD);
	map(page, 4096, PROT_READ | PROT_WRITE);
	fill(page, 4096);
}

static void give_up(int number)
{
	(void)number;
	_exit(SIGNAL);
}

static void catch_signals(void)
{
	static const int fatal[] = { SIGILL, SIGFPE, SIGBUS, SIGTRAP };
	stack_t stack = { .ss_sp = malloc(1 << 16), .ss_size = 1 << 16 };
	struct sigaction paging = { .sa_sigaction = fault, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	struct sigaction ending = { .sa_handler = give_up, .sa_flags = SA_ONSTACK };

	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &paging, NULL);
	for (unsigned i = 0; i < sizeof fatal / sizeof *fatal; i++)
		sigaction(fatal[i], &ending, NULL);
	alarm(2 * LONGEST);
}

static uint8_t *copy(uint8_t *at, const void *bytes, size_t size)
{
	memcpy(at, bytes, size);
	return at + size;
}

/* Writes a function at `code` that runs `block` unrolled `n` times, REPETITIONS times, and notes when. */
static void make(uint8_t *code, const struct block *block, int n)
{
	uint8_t *at = COPY(code, enter), *repeat = at;
	int32_t back;

	for (int r = 0; r < 16; r++) {
		uint64_t value = REGISTER(r);
		uint8_t load[] = { r < 8 ? 0x48 : 0x49, 0xb8 + (r & 7) };	/* movabs */

		at = copy(copy(at, load, sizeof load), &value, sizeof value);
	}
	at = COPY(at, start);
	for (int i = 0; i < n; i++) {
		uint8_t *begin = at;

		at = copy(at, block->code, block->size);
		for (int k = 0; k < block->relative_count; k++) {
			const struct relative *r = &block->relatives[k];
			int32_t displacement = r->target - (uint64_t)(begin + r->end);

			memcpy(begin + r->offset, &displacement, 4);
		}
	}
	at = COPY(at, again);
	back = repeat - (at + 4);
	at = copy(at, &back, 4);
	COPY(at, leave);
}

static uint64_t time_of(const uint8_t *code)
{
	cell->to_go = REPETITIONS;
	((void (*)(void))code)();
	return cell->end - cell->begin;
}

/* Registers have their values, vectors are 0, and results that are too small are 0. */
static void set_state(void)
{
	static const uint32_t flush_to_zero = 0x9fc0;

	syscall(SYS_arch_prctl, ARCH_SET_GS, SEGMENT);
	__asm__ volatile("ldmxcsr %0" :: "m"(flush_to_zero));
	if (__builtin_cpu_supports("avx"))
		__asm__ volatile("vzeroall");
}

/* What is measured in each round. */
enum { FEW, MANY, FEW_UNITS, MANY_UNITS, STORES, ADDITIONS, CODES };

static const struct block gauges[] = {
	[FEW_UNITS] = { .code = { 0x48, 0x01, 0xc0 }, .size = 3 },	/* add rax, rax */
	[MANY_UNITS] = { .code = { 0x48, 0x01, 0xc0 }, .size = 3 },
	[STORES] = { .code = { 0x48, 0x89, 0x03, 0x48, 0x89, 0x03 }, .size = 6 },	/* mov [rbx], rax, twice */
	[ADDITIONS] = { .code = { 0x83, 0xc0, 1, 0x83, 0xc1, 1, 0x83, 0xc2, 1, 0x83, 0xc3, 1 }, .size = 12 },	/* add eax, 1; ... */
};
static const int lengths[] = { [FEW_UNITS] = UNITS, [MANY_UNITS] = 3 * UNITS, [STORES] = UNITS, [ADDITIONS] = UNITS };
static uint8_t *codes[CODES];

static void set_up(void)
{
	map(CELL, 4096, PROT_READ | PROT_WRITE);
	map(RELATIVE, RELATIVE_SIZE, PROT_READ | PROT_WRITE);
	fill(RELATIVE, RELATIVE_SIZE);
	map(CODE, (size_t)CODES << 18, PROT_READ | PROT_WRITE | PROT_EXEC);
	for (int k = 0; k < CODES; k++) {
		codes[k] = (uint8_t *)CODE + ((uint64_t)k << 18);
		if (k >= FEW_UNITS)
			make(codes[k], &gauges[k], lengths[k]);
	}
	catch_signals();
	set_state();
}

/* How much time the other thread of the core takes, in units that are small if it sleeps. */
struct busy {
	double stores, additions;
};

static double unit(void)
{
	double few = time_of(codes[FEW_UNITS]);

	return (time_of(codes[MANY_UNITS]) - few) / (2 * UNITS * REPETITIONS);
}

static struct busy look(double ticks)
{
	double stores = time_of(codes[STORES]), additions = time_of(codes[ADDITIONS]);

	return (struct busy) { stores / ticks / UNITS / REPETITIONS, additions / ticks / UNITS / REPETITIONS };
}

static int is_quiet(struct busy now, struct busy limit)
{
	return now.stores > 0 && now.stores < limit.stores && now.additions > 0 && now.additions < limit.additions;
}

static void use_cpu(int number)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(number % sysconf(_SC_NPROCESSORS_ONLN), &set);
	sched_setaffinity(0, sizeof set, &set);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, int count)
{
	qsort(values, count, sizeof *values, compare);
	return values[count / 2];
}

static void measure(const struct block *block, const char *name, struct busy limit)
{
	int many = MOST_BYTES / block->size > 300 ? 300 : MOST_BYTES / block->size < 24 ? 24 : MOST_BYTES / block->size;
	int few = many / 3, quiet = 0, rounds = 0;
	double cycles[QUIET], ticks[QUIET];

	set_up();
	make(codes[FEW], block, few);
	make(codes[MANY], block, many);
	time_of(codes[MANY]);	/* pages are mapped */
	for (time_t end = time(NULL) + LONGEST; quiet < QUIET && time(NULL) < end; rounds++) {
		double first, second, now;

		if (rounds % AT_ONCE == 0)
			use_cpu(rounds / AT_ONCE);
		if (!is_quiet(look(unit()), limit))
			continue;
		first = time_of(codes[FEW]);
		second = time_of(codes[MANY]);
		now = unit();
		if (!is_quiet(look(now), limit))
			continue;
		ticks[quiet] = now;
		cycles[quiet++] = (second - first) / (many - few) / REPETITIONS / now;
	}
	if (quiet < QUIET)
		_exit(BUSY);
	printf("%s %.4f %.5f %d\n", name, median(cycles, QUIET), median(ticks, QUIET), rounds);
	fflush(stdout);
	_exit(0);
}

static void watch(int seconds)
{
	set_up();
	for (time_t end = time(NULL) + seconds, round = 0; time(NULL) < end; round++) {
		struct busy now;

		if (round % AT_ONCE == 0)
			use_cpu(round / AT_ONCE);
		now = look(unit());
		printf("%.4f %.4f\n", now.stores, now.additions);
	}
}

static void parse(char *line, struct block *block)
{
	char *word = strtok(line, " \n");
	unsigned value;

	for (char *c = word; sscanf(c, "%2x", &value) == 1; c += 2)
		block->code[block->size++] = value;
	while ((word = strtok(NULL, " \n"))) {
		struct relative *r = &block->relatives[block->relative_count++];

		sscanf(word, "%d:%d:%lx", &r->offset, &r->end, &r->target);
	}
}

int main(int argc, char **argv)
{
	static char line[8192];
	struct busy limit;

	if (argc != 3) {
		watch(argc > 1 ? atoi(argv[1]) : 10);
		return 0;
	}
	limit = (struct busy) { atof(argv[1]), atof(argv[2]) };
	while (fgets(line, sizeof line, stdin)) {
		struct block block = { 0 };
		int status;

		parse(line, &block);	/* and `line` ends after the block */
		fflush(stdout);
		if (!fork())
			measure(&block, line, limit);
		wait(&status);
		if (status)
			printf("%s failed %s\n", line,
			       WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) :
			       WEXITSTATUS(status) == WILD ? "address" :
			       WEXITSTATUS(status) == SIGNAL ? "exception" :
			       WEXITSTATUS(status) == BUSY ? "never quiet" : "memory");
	}
	return 0;
}
