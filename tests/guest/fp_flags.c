/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fp_flags CASE: the flags of floating-point exceptions, as a program sees them.
 * The flag of denormal operands is left out: QEMU's arithmetic does not know it.
 */
#define _GNU_SOURCE
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <emmintrin.h>

#define INITIAL	0x1f80
#define FLAGS	0x3d	/* without 0x02, denormal operand */

static unsigned int get(void)
{
	return _mm_getcsr() & ~0x02;
}

static void set(unsigned int mxcsr)
{
	_mm_setcsr(mxcsr);
}

static const char *names(unsigned int flags)
{
	static char text[32];

	sprintf(text, "%s%s%s%s%s", flags & 1 ? "I" : "-", flags & 4 ? "Z" : "-",
		flags & 8 ? "O" : "-", flags & 16 ? "U" : "-",
		flags & 32 ? "P" : "-");
	return text;
}

/* An instruction on two operands of a type, and the flags that it leaves. */
#define BINARY(insn, type, a, b)                                               \
	do {                                                                   \
		volatile type left = a, right = b;                             \
		type x = left;                                                 \
		set(INITIAL);                                                  \
		asm volatile(#insn " %1, %0" : "+x"(x) : "x"(right));          \
		printf("%s(" #a ", " #b ") %s %a\n", #insn, names(get()), (double)x); \
	} while (0)

#define UNARY(insn, type, a)                                                   \
	do {                                                                   \
		volatile type left = a;                                        \
		type y = 0;                                                    \
		set(INITIAL);                                                  \
		asm volatile(#insn " %1, %0" : "+x"(y) : "x"(left));           \
		printf("%s(" #a ") %s %a\n", #insn, names(get()), (double)y);  \
	} while (0)

#define TO_INTEGER(insn, type, result, a)                                      \
	do {                                                                   \
		volatile type left = a;                                        \
		result y = 0;                                                  \
		set(INITIAL);                                                  \
		asm volatile(#insn " %1, %0" : "=r"(y) : "x"(left));           \
		printf("%s(" #a ") %s %llx\n", #insn, names(get()), (long long)y); \
	} while (0)

#define FROM_INTEGER(insn, type, operand, a)                                   \
	do {                                                                   \
		volatile operand left = a;                                     \
		type y = 0;                                                    \
		set(INITIAL);                                                  \
		asm volatile(#insn " %1, %0" : "+x"(y) : "r"(left));           \
		printf("%s(" #a ") %s %a\n", #insn, names(get()), (double)y);  \
	} while (0)

#define PACKED(insn, type, vector, ...)                                        \
	do {                                                                   \
		type a[] = { __VA_ARGS__ };                                    \
		type c[16 / sizeof(type)];                                     \
		vector x, y;                                                   \
		memcpy(&x, a, 16);                                             \
		memcpy(&y, a + 16 / sizeof(type), 16);                         \
		set(INITIAL);                                                  \
		asm volatile(#insn " %1, %0" : "+x"(x) : "x"(y));              \
		printf(#insn "(" #__VA_ARGS__ ") %s", names(get()));           \
		memcpy(c, &x, 16);                                             \
		for (size_t i = 0; i < 16 / sizeof(type); i++)                 \
			printf(" %a", (double)c[i]);                           \
		printf("\n");                                                  \
	} while (0)


static void scalars(void)
{
	BINARY(addsd, double, 1.0, 2.0);
	BINARY(divsd, double, 1.0, 0.0);
	BINARY(divsd, double, 0.0, 0.0);
	BINARY(divsd, double, 1.0, 3.0);
	BINARY(divsd, double, INFINITY, 0.0);
	BINARY(mulsd, double, DBL_MAX, 2.0);
	BINARY(mulsd, double, DBL_MIN, DBL_MIN);
	BINARY(mulsd, double, DBL_MIN, 0.5);
	BINARY(mulsd, double, 0.0, INFINITY);
	BINARY(subsd, double, INFINITY, INFINITY);
	BINARY(addsd, double, 1.0, DBL_EPSILON / 2);
	BINARY(addsd, double, NAN, 1.0);
	BINARY(minsd, double, NAN, 1.0);
	BINARY(maxsd, double, 2.0, 1.0);
	BINARY(divss, float, 1.0f, 0.0f);
	BINARY(divss, float, 1.0f, 3.0f);
	BINARY(mulss, float, FLT_MAX, 2.0f);
	BINARY(mulss, float, FLT_MIN, FLT_MIN);
	BINARY(subss, float, INFINITY, INFINITY);
	UNARY(sqrtsd, double, -1.0);
	UNARY(sqrtsd, double, 2.0);
	UNARY(sqrtsd, double, 4.0);
	UNARY(sqrtsd, double, -0.0);
	UNARY(sqrtss, float, -1.0f);
}

static void conversions(void)
{
	TO_INTEGER(cvttsd2si, double, int, NAN);
	TO_INTEGER(cvttsd2si, double, int, 1e10);
	TO_INTEGER(cvttsd2si, double, int, 1.5);
	TO_INTEGER(cvttsd2si, double, int, 7.0);
	TO_INTEGER(cvttsd2siq, double, long long, 1e10);
	TO_INTEGER(cvttsd2siq, double, long long, 1e30);
	TO_INTEGER(cvtsd2si, double, int, 2.5);
	TO_INTEGER(cvtsd2si, double, int, -INFINITY);
	TO_INTEGER(cvttss2si, float, int, NAN);
	TO_INTEGER(cvtss2si, float, int, 0.5f);
	FROM_INTEGER(cvtsi2sdl, double, int, 123456789);
	FROM_INTEGER(cvtsi2sdq, double, long long, 0x7fffffffffffffff);
	FROM_INTEGER(cvtsi2ssl, float, int, 123456789);
	FROM_INTEGER(cvtsi2ssl, float, int, 12345);
	{
		volatile double big = 1e300, small = 1e-300, third = 1.0 / 3, half = 0.5;

		for (int i = 0; i < 4; i++) {
			double x = i == 0 ? big : i == 1 ? small : i == 2 ? third : half;
			float y = 0;

			set(INITIAL);
			asm volatile("cvtsd2ss %1, %0" : "+x"(y) : "x"(x));
			printf("cvtsd2ss %d %s %a\n", i, names(get()), (double)y);
		}
	}
}

static void packed(void)
{
	PACKED(divpd, double, __m128d, 1, 1, 2, 0);
	PACKED(divpd, double, __m128d, 1, 0, 3, 0);
	PACKED(mulpd, double, __m128d, DBL_MAX, DBL_MIN, 2, DBL_MIN);
	PACKED(addpd, double, __m128d, 1, 2, 3, 4);
	PACKED(sqrtpd, double, __m128d, 0, 0, -1, 4);
	PACKED(divps, float, __m128, 1, 1, 1, 1, 2, 0, 4, 8);
	PACKED(mulps, float, __m128, FLT_MAX, FLT_MIN, 1, 0, 2, FLT_MIN, 1, INFINITY);
	PACKED(subps, float, __m128, 1, 2, 3, 4, 1, 2, 3, 4);
	PACKED(cmpltpd, double, __m128d, 1, 2, 3, 0);
	PACKED(maxps, float, __m128, 1, 2, 3, 4, 4, 3, 2, 1);
}

static void comparisons(void)
{
	static const double values[] = { 1, 2, NAN, INFINITY };

	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++) {
			volatile double a = values[i], b = values[j];
			volatile float c = a, d = b;
			unsigned long flags;

			printf("%g %g:", values[i], values[j]);
#define COMPARE(insn, x, y)                                                    \
			set(INITIAL);                                          \
			asm volatile(#insn " %2, %1; pushfq; pop %0"           \
				     : "=r"(flags) : "x"(x), "x"(y) : "cc");   \
			printf(" " #insn " %s %lx", names(get()), flags & 0x8d5);
			COMPARE(ucomisd, a, b);
			COMPARE(comisd, a, b);
			COMPARE(ucomiss, c, d);
			COMPARE(comiss, c, d);
			printf("\n");
		}
	{
		volatile double quiet = NAN, signalling;
		unsigned long bits = 0x7ff0000000000001, flags;

		memcpy((void *)&signalling, &bits, 8);
		COMPARE(ucomisd, signalling, quiet);
		printf("\n");
	}
}

static double __attribute__((noinline)) divide(double a, double b)
{
	return a / b;
}

static void environment(void)
{
	volatile double one = 1, zero = 0, three = 3, x;
	fexcept_t kept;
	fenv_t old;

	set(INITIAL);
	printf("%x", fetestexcept(FE_ALL_EXCEPT));
	x = divide(one, zero);
	printf(" %x", fetestexcept(FE_ALL_EXCEPT));
	x = divide(one, three);
	printf(" %x", fetestexcept(FE_ALL_EXCEPT));
	x = divide(one, one);	/* takes none away */
	printf(" %x", fetestexcept(FE_ALL_EXCEPT));
	fegetexceptflag(&kept, FE_ALL_EXCEPT);
	feclearexcept(FE_DIVBYZERO);
	printf(" %x", fetestexcept(FE_ALL_EXCEPT));
	feclearexcept(FE_ALL_EXCEPT);
	printf(" %x", fetestexcept(FE_ALL_EXCEPT));
	fesetexceptflag(&kept, FE_DIVBYZERO);
	printf(" %x\n", fetestexcept(FE_ALL_EXCEPT));
	feholdexcept(&old);
	printf("held %x", fetestexcept(FE_ALL_EXCEPT));
	x = divide(zero, zero);
	printf(" %x", fetestexcept(FE_ALL_EXCEPT));
	feupdateenv(&old);
	printf(" updated %x", fetestexcept(FE_ALL_EXCEPT));
	feraiseexcept(FE_OVERFLOW | FE_UNDERFLOW);
	printf(" raised %x", fetestexcept(FE_ALL_EXCEPT));
	fesetenv(FE_DFL_ENV);
	printf(" default %x\n", fetestexcept(FE_ALL_EXCEPT));
	(void)x;
}

static void rounding(void)
{
	static const int modes[] = { 0x0000, 0x2000, 0x4000, 0x6000 };
	volatile double one = 1, minus = -1, three = 3;

	for (int i = 0; i < 4; i++) {
		set(INITIAL | modes[i]);
		printf("%x: %a %a", modes[i], one / three, minus / three);
		printf(" %x", get());
		set(INITIAL | modes[i]);
		printf(" %x %ld", get(), lrint(2.5));
		printf(" %x\n", get());
	}
	set(INITIAL | FLAGS);	/* as they are loaded */
	printf("loaded %x", get());
	set(INITIAL);
	printf(" %x\n", get());
}

static void flushing(void)
{
	volatile double third = 1.0 / 3, tinier = DBL_MIN * third;

	set(INITIAL | 0x0040);	/* denormal operands are zero */
	printf("%a", tinier * 4);
	printf(" %x\n", get());
}

static unsigned short x87(void)
{
	unsigned short word;

	asm volatile("fnstsw %0" : "=a"(word));
	return word & FLAGS;
}

static void x87_apart(void)
{
	volatile long double one = 1, zero = 0, y;
	volatile double a = 1, b = 0, x;

	asm volatile("fninit");
	set(INITIAL);
	x = a / b;
	printf("sse %x x87 %x", get() & FLAGS, x87());
	set(INITIAL);
	y = one / zero;
	printf(", sse %x x87 %x", get() & FLAGS, x87());
	x = b / b;
	asm volatile("fnclex");
	printf(", sse %x x87 %x\n", get() & FLAGS, x87());
	(void)x;
	(void)y;
}

static void x87_flags(void)
{
	volatile long double one = 1, zero = 0, three = 3, big = LDBL_MAX, small = LDBL_MIN, y;
	volatile long double infinite = INFINITY;

	asm volatile("fninit");
#define X87(expression)                                                        \
	do {                                                                   \
		asm volatile("fnclex");                                        \
		y = expression;                                                \
		printf(#expression " %s\n", names(x87()));                     \
	} while (0)
	X87(one / one);
	X87(one / zero);
	X87(one / three);
	X87(infinite - infinite);	/* of 0 / 0 Unicorn also says that it was divided by 0 */
	X87(big * big);
	X87(small * small);
	(void)y;
}

static void areas(void)
{
	static unsigned char area[512] __attribute__((aligned(16)));
	volatile double one = 1, zero = 0, x;
	unsigned int kept;

	set(INITIAL);
	x = one / zero;
	asm volatile("fxsave %0" : "=m"(area));
	memcpy(&kept, area + 24, 4);
	printf("saved %x", kept & ~2);
	set(INITIAL);
	x = zero / zero;
	printf(" now %x", get());
	asm volatile("fxrstor %0" : : "m"(area));
	printf(" restored %x", get());
	kept = INITIAL;
	memcpy(area + 24, &kept, 4);
	asm volatile("fxrstor %0" : : "m"(area));
	printf(" cleared %x\n", get());
	(void)x;
}

static unsigned int in_frame, in_handler, after;

static void handler(int signal, siginfo_t *info, void *context)
{
	volatile double one = 1, three = 3, x;

	in_handler = get();
	in_frame = ((ucontext_t *)context)->uc_mcontext.fpregs->mxcsr & ~2;
	x = one / three;
	after = get();
	(void)x, (void)signal, (void)info;
}

static void clearing(int signal, siginfo_t *info, void *context)
{
	((ucontext_t *)context)->uc_mcontext.fpregs->mxcsr = INITIAL | 0x2000 | 8;
	(void)signal, (void)info;
}

static void signals(void)
{
	struct sigaction act = { .sa_flags = SA_SIGINFO };
	volatile double one = 1, zero = 0, x;

	act.sa_sigaction = handler;
	sigaction(SIGUSR1, &act, NULL);
	act.sa_sigaction = clearing;
	sigaction(SIGUSR2, &act, NULL);
	set(INITIAL);
	x = one / zero;
	kill(getpid(), SIGUSR1);
	printf("frame %x handler %x then %x, after it %x", in_frame, in_handler, after, get());
	kill(getpid(), SIGUSR2);
	printf(", changed %x\n", get());
	(void)x;
}

/* Each task has its own flags, whoever else runs. */
static void tasks(void)
{
	enum { TASKS = 8 };
	int failed = 0, status;
	volatile double one = 1, zero = 0, x;

	set(INITIAL);
	x = one / zero;
	for (int n = 0; n < TASKS; n++)
		if (fork() == 0) {
			if ((get() & FLAGS) != 4)
				_exit(100);
			for (int i = 0; i < 40; i++) {
				set(INITIAL);
				sched_yield();
				if (get() & FLAGS)
					_exit(1);
				if (n & 1)
					x = one / zero;
				if (n & 2)
					x = zero / zero;
				sched_yield();
				if ((get() & FLAGS) != ((n & 1 ? 4u : 0) | (n & 2 ? 1u : 0)))
					_exit(2);
			}
			_exit(0);
		}
	for (int n = 0; n < TASKS; n++) {
		wait(&status);
		failed += status != 0;
	}
	printf("%d failed, mine %x\n", failed, get());
	(void)x;
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "scalars", scalars },		{ "conversions", conversions },
	{ "packed", packed },		{ "comparisons", comparisons },
	{ "environment", environment },	{ "rounding", rounding },
	{ "flushing", flushing },
	{ "x87-apart", x87_apart },	{ "x87", x87_flags },
	{ "areas", areas },
	{ "signals", signals },		{ "tasks", tasks },
};

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	for (size_t i = 0; argc == 2 && i < sizeof(cases) / sizeof(*cases); i++)
		if (!strcmp(argv[1], cases[i].name)) {
			cases[i].run();
			return 0;
		}
	return 2;
}
