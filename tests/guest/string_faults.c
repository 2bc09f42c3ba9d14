/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * String instructions in a program: what a handler of SIGSEGV sees in the
 * middle of one, pages that come when they are touched, copies of the kernel
 * that end where memory ends, and a timer that interrupts.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define PAGE 4096L
#define COUNT 5

struct registers {
	unsigned long rax, rcx, rsi, rdi;
};

static struct {
	const char *name;
	unsigned char code[4];
	int size, compares, source, destination;
} instructions[] = {
#define FORMS(name, op, compares, source, destination)                         \
	{ name "b", { 0xf3, op, 0x90, 0x90 }, 1, compares, source, destination },     \
	{ name "w", { 0x66, 0xf3, op + 1, 0x90 }, 2, compares, source, destination }, \
	{ name "l", { 0xf3, op + 1, 0x90, 0x90 }, 4, compares, source, destination }, \
	{ name "q", { 0xf3, 0x48, op + 1, 0x90 }, 8, compares, source, destination }
	FORMS("movs", 0xa4, 0, 1, 1),
	FORMS("cmps", 0xa6, 1, 1, 1),
	FORMS("stos", 0xaa, 0, 0, 1),
	FORMS("lods", 0xac, 0, 1, 0),
	FORMS("scas", 0xae, 1, 0, 1),
};

static unsigned char *code;	/* a form, then ret */
static char equal[6 * PAGE], different[6 * PAGE];
static char *memory;		/* six pages */
static int faults, lift;
static long where;
static struct registers seen;
static sig_atomic_t ticks, wrong;
static char *from, *to;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	char *page = (char *)((unsigned long)info->si_addr & -PAGE);

	faults++;
	where = (char *)info->si_addr - memory;
	seen = (struct registers){ regs[REG_RAX], regs[REG_RCX], regs[REG_RSI],
				   regs[REG_RDI] };
	if (regs[REG_RIP] != (long)code || signal != SIGSEGV)
		_exit(2);
	if (lift)
		mprotect(page, PAGE, PROT_READ | PROT_WRITE);
	else
		regs[REG_RIP] += 4;
}

static struct registers execute(struct registers r, int backwards)
{
	if (backwards)
		asm volatile("std");
	asm volatile("call *%4; cld"
		     : "+a"(r.rax), "+c"(r.rcx), "+S"(r.rsi), "+D"(r.rdi)
		     : "r"(code) : "memory", "cc");
	return r;
}

static unsigned long digest(void)
{
	const unsigned long *words = (unsigned long *)memory;
	unsigned long sum = 0;

	mprotect(memory, 6 * PAGE, PROT_READ | PROT_WRITE);
	for (long i = 0; i < 6 * PAGE / 8; i++)
		sum = sum * 0x9e3779b97f4a7c15 + words[i];
	return sum;
}

static void show(struct registers r)
{
	printf(" %lx %lx %ld %ld", r.rax, r.rcx, (long)r.rsi - (long)memory,
	       (long)r.rdi - (long)memory);
}

static void attempt(int n, int backwards, int missing, int protection, long at)
{
	struct registers before = { 0x4141414141414141, COUNT,
				    (unsigned long)memory + 100,
				    (unsigned long)memory + 5 * PAGE + 100 };

	if (instructions[n].source && missing == 2)
		before.rsi = (unsigned long)memory + at;
	else
		before.rdi = (unsigned long)memory + at;
	memcpy(memory, instructions[n].compares ? equal : different, 6 * PAGE);
	mprotect(memory + missing * PAGE, PAGE, protection);
	faults = 0;
	before = execute(before, backwards);
	printf("%s %d %d %d %ld: %d faults", instructions[n].name, backwards,
	       missing, protection, at, faults);
	if (faults) {
		printf(" at %ld", where);
		show(seen);
	}
	show(before);
	printf(" %lx\n", digest());
}

static void faults_everywhere(void)
{
	memset(equal, 'A', 6 * PAGE);
	for (long i = 0; i < 6 * PAGE; i++)
		different[i] = i * 7 + i / PAGE;
	for (size_t n = 0; n < sizeof(instructions) / sizeof(*instructions); n++) {
		int size = instructions[n].size;

		memcpy(code, instructions[n].code, 4);
		for (int backwards = 0; backwards < 2; backwards++)
			for (int i = -COUNT - 1; i <= COUNT; i++)
				for (int missing = 2; missing < 4; missing++) {
					long edge = (missing + backwards) * PAGE +
						    i * size + size / 2;

					if (missing == 2 ? !instructions[n].source :
							   !instructions[n].destination)
						continue;
					attempt(n, backwards, missing, PROT_NONE, edge);
					if (missing == 3 && !instructions[n].compares)
						attempt(n, backwards, missing, PROT_READ, edge);
				}
	}
}

/* Pages that are not there until they are touched, or are shared until written. */
static void demand(void)
{
	char *fresh = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long sum = 0;

	memcpy(code, instructions[8].code, 4);	/* stosb */
	execute((struct registers){ 'x', 5 * PAGE, 0, (long)fresh + 123 }, 0);
	for (long i = 0; i < 8 * PAGE; i++)
		sum += fresh[i] == (i >= 123 && i < 5 * PAGE + 123 ? 'x' : 0);
	printf("filled %d\n", sum == 8 * PAGE);
	fflush(stdout);
	if (fork() == 0) {
		memcpy(code, instructions[0].code, 4);	/* movsb: each byte the one before it */
		fresh[0] = 'c';
		execute((struct registers){ 0, 6 * PAGE, (long)fresh, (long)fresh + 1 }, 0);
		for (long i = 0; i <= 6 * PAGE; i++)
			if (fresh[i] != 'c')
				_exit(1);
		_exit(0);
	}
	wait(&faults);
	sum = 0;
	for (long i = 0; i < 8 * PAGE; i++)
		sum += fresh[i] == (i >= 123 && i < 5 * PAGE + 123 ? 'x' : 0);
	printf("the child %d, the parent %d\n", faults, sum == 8 * PAGE);
	lift = 1;
	faults = 0;
	mprotect(memory, 6 * PAGE, PROT_NONE);
	memcpy(code, instructions[3].code, 4);	/* movsq */
	execute((struct registers){ 0, 2 * PAGE / 8, (long)memory + 4, (long)memory + 3 * PAGE + 3 }, 0);
	printf("lifted %d\n", faults);
	lift = 0;
}

/* How much the kernel copies from and to memory that ends. */
static void kernel_copies(const char *name)
{
	int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);

	unlink(name);
	digest();
	memset(memory, 'k', 6 * PAGE);
	mprotect(memory + 2 * PAGE, PAGE, PROT_NONE);
	for (int left = 0; left < 70; left++) {
		long wrote = pwrite(file, memory + 2 * PAGE - left, 100, 0);

		printf("%d: %ld %ld", left, wrote,
		       (long)pread(file, memory + 2 * PAGE - left, 100, 0));
		ftruncate(file, 0);
		pwrite(file, memory, 200, 0);
		printf(" %ld\n", (long)pread(file, memory + 2 * PAGE - left, 100, 0));
	}
	digest();
	close(file);
}

static void on_tick(int signal, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	long done = (char *)regs[REG_RDI] - to;

	if (regs[REG_RIP] != (long)code)
		return;
	ticks++;
	if ((char *)regs[REG_RSI] - from != done || regs[REG_RCX] + done != 5 * PAGE)
		wrong = 1;
	if (done && to[done - 1] != from[done - 1])
		wrong = 2;
	if (done < 5 * PAGE && to[done] != 0)
		wrong = 3;
	(void)signal, (void)info;
}

static void interrupted(void)
{
	struct sigaction act = { .sa_flags = SA_SIGINFO };
	struct itimerval often = { { 0, 200 }, { 0, 200 } };

	from = malloc(5 * PAGE);
	to = malloc(5 * PAGE + 1);
	memset(from, 'f', 5 * PAGE);
	act.sa_sigaction = on_tick;
	sigaction(SIGALRM, &act, NULL);
	memcpy(code, instructions[0].code, 4);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int round = 0; round < 4; round++) {
		memset(to, 0, 5 * PAGE + 1);
		execute((struct registers){ 0, 5 * PAGE, (long)from, (long)to }, 0);
		if (memcmp(from, to, 5 * PAGE) || to[5 * PAGE])
			wrong = 4;
	}
	memset(&often, 0, sizeof(often));
	setitimer(ITIMER_REAL, &often, NULL);
	printf("interrupted: %d wrong\n", wrong);
}

/* The same place has one instruction, then another; also by a string instruction. */
static void new_code(void)
{
	static const unsigned char one[] = { 0xb8, 1, 0, 0, 0, 0xc3 };
	static const unsigned char two[] = { 0xb8, 2, 0, 0, 0, 0xc3 };
	unsigned char *function = code + 256;
	int (*call)(void) = (int (*)(void))function;

	memcpy(code, instructions[0].code, 4);
	for (int i = 0; i < 3; i++) {
		execute((struct registers){ 0, 6, (long)one, (long)function }, 0);
		printf("%d", call());
		execute((struct registers){ 0, 6, (long)two, (long)function }, 0);
		printf("%d", call());
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_flags = SA_SIGINFO };

	(void)argc;
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	act.sa_sigaction = on_fault;
	sigaction(SIGSEGV, &act, NULL);
	code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	code[4] = 0xc3;
	memory = mmap(NULL, 6 * PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	faults_everywhere();
	demand();
	kernel_copies(argv[1]);
	interrupted();
	new_code();
	return 0;
}
