/* SPDX-License-Identifier: GPL-2.0-only */
/* Arithmetic that processors leave to programs. */
#include <stdint.h>

#include "awk.h"

#define LN2_HIGH	6.93147180369123816490e-01
#define LN2_LOW		1.90821492927058770002e-10
#define LN2		(LN2_HIGH + LN2_LOW)
#define PI		3.14159265358979323846
#define PI_2_HIGH	1.57079632673412561417e+00
#define PI_2_LOW	6.07710050650619224932e-11

bool is_nan(double x)
{
	return x != x;
}

bool is_infinite(double x)
{
	return !is_nan(x) && is_nan(x - x);
}

double truncated(double x)
{
	/* What is as large as that has no fraction. */
	return x > -1e18 && x < 1e18 ? (double)(long)x : x;
}

double square_root(double x)
{
	return __builtin_sqrt(x);
}

/* x * 2^n */
static double scaled(double x, int n)
{
	union { uint64_t bits; double number; } two;

	for (; n > 1000; n -= 1000)
		x *= 0x1p1000;
	for (; n < -1000; n += 1000)
		x *= 0x1p-1000;
	two.bits = (uint64_t)(1023 + n) << 52;
	return x * two.number;
}

double exponential(double x)
{
	double sum = 1, term = 1, rest;
	int n;

	if (is_nan(x))
		return x;
	if (x > 710)
		return __builtin_inf();
	if (x < -750)
		return 0;
	n = x / LN2 + (x < 0 ? -0.5 : 0.5);
	rest = x - n * LN2_HIGH - n * LN2_LOW;
	for (int i = 1; i < 20; i++) {
		term *= rest / i;
		sum += term;
	}
	return scaled(sum, n);
}

double logarithm(double x)
{
	union { double number; uint64_t bits; } shape = { .number = x };
	double z, square, term, sum = 0;
	int n = 0;

	if (is_nan(x) || x < 0)
		return __builtin_nan("");
	if (x == 0)
		return -__builtin_inf();
	if (is_infinite(x))
		return x;
	if (!(shape.bits >> 52)) {
		shape.number *= 0x1p54;
		n = -54;
	}
	n += (int)(shape.bits >> 52) - 1023;
	shape.bits = (shape.bits & ((1UL << 52) - 1)) | 1023UL << 52;
	if (shape.number > 1.41421356237309504880) {
		shape.number /= 2;
		n++;
	}
	z = (shape.number - 1) / (shape.number + 1);
	square = z * z;
	term = z;
	for (int i = 1; i < 45; i += 2) {
		sum += term / i;
		term *= square;
	}
	return n * LN2_HIGH + (2 * sum + n * LN2_LOW);
}

/* The sine of what is at most a quarter of a turn, @quarters of them further. */
static double wave(double x, long quarters)
{
	double square = x * x, term, sum;
	int first = quarters & 1 ? 0 : 1;

	term = sum = first ? x : 1;
	for (int i = first + 1; i < first + 22; i += 2) {
		term *= -square / (i * (i + 1));
		sum += term;
	}
	return quarters & 2 ? -sum : sum;
}

static double turned(double x, long quarters)
{
	double turns = x / (PI / 2);
	long n;

	if (!(turns > -1e15 && turns < 1e15))
		return __builtin_nan("");
	n = turns + (turns < 0 ? -0.5 : 0.5);
	return wave(x - n * PI_2_HIGH - n * PI_2_LOW, n + quarters);
}

double sine(double x)
{
	return turned(x, 0);
}

double cosine(double x)
{
	return turned(x, 1);
}

/* Of what is not negative. */
static double arc_tangent_of(double x)
{
	double square, term, sum = 0;
	int halvings = 0;

	if (x > 1)
		return PI / 2 - arc_tangent_of(1 / x);
	for (; x > 0.1; halvings++)
		x /= 1 + square_root(1 + x * x);
	square = x * x;
	term = x;
	for (int i = 1; i < 30; i += 2) {
		sum += term / i;
		term *= -square;
	}
	return sum * (1 << halvings);
}

double arc_tangent(double y, double x)
{
	double angle, height = y < 0 ? -y : y;

	if (is_nan(x) || is_nan(y))
		return __builtin_nan("");
	if (y == 0)
		angle = x < 0 ? PI : 0;
	else if (x == 0)
		angle = PI / 2;
	else
		angle = x < 0 ? PI - arc_tangent_of(height / -x) :
				arc_tangent_of(height / x);
	return y < 0 ? -angle : angle;
}

double power(double base, double exponent)
{
	double result = 1;
	bool inverse = exponent < 0;
	long n;

	if (exponent != truncated(exponent) || exponent > 1e9 || exponent < -1e9)
		return exponential(exponent * logarithm(base));
	for (n = inverse ? -exponent : exponent; n; n >>= 1) {
		if (n & 1)
			result *= base;
		base *= base;
	}
	return inverse ? 1 / result : result;
}

/* The sign is x's. */
double remainder_of(double x, double y)
{
	double size = y < 0 ? -y : y, rest = x < 0 ? -x : x;

	if (is_nan(x) || is_nan(y) || is_infinite(x) || y == 0)
		return __builtin_nan("");
	while (rest >= size) {
		double part = size;

		while (part <= rest / 2)
			part *= 2;
		rest -= part;
	}
	return x < 0 ? -rest : rest;
}
