/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers from text, and all the decimal digits of a number. */
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "awk.h"

#define BILLION		1000000000u
#define LARGEST_EXACT	22		/* power of ten that a double holds */
#define DIGITS		18		/* of a number that are looked at */
#define MOST_DIGITS	100000000000000000L

/* A large integer, the least billion first. */
struct large {
	uint32_t part[128];
	int count;
};

/* A double is fraction * 2^shift. */
struct binary {
	uint64_t fraction;
	int shift;
};

static void multiply(struct large *large, uint32_t by)
{
	uint64_t carry = 0;

	for (int i = 0; i < large->count; i++) {
		carry += (uint64_t)large->part[i] * by;
		large->part[i] = carry % BILLION;
		carry /= BILLION;
	}
	if (carry)
		large->part[large->count++] = carry;
}

static void binary_to_decimal(struct binary binary, struct decimal *decimal)
{
	uint64_t fraction = binary.fraction;
	int shift = binary.shift;
	struct large large = { .count = 3 };

	for (; shift < 0 && fraction && !(fraction & 1); shift++)
		fraction >>= 1;
	large.part[0] = fraction % BILLION;
	large.part[1] = fraction / BILLION % BILLION;
	large.part[2] = fraction / BILLION / BILLION;
	/* A half is five tenths: 2^-n is 5^n, n places further right. */
	decimal->point = shift < 0 ? shift : 0;
	for (; shift > 0; shift -= shift < 29 ? shift : 29)
		multiply(&large, 1u << (shift < 29 ? shift : 29));
	for (; shift < 0; shift++)
		multiply(&large, 5);
	decimal->count = 0;
	for (int i = large.count - 1; i >= 0; i--)
		for (uint32_t unit = BILLION / 10; unit; unit /= 10) {
			char digit = '0' + large.part[i] / unit % 10;

			if (decimal->count || digit != '0')
				decimal->digits[decimal->count++] = digit;
		}
	decimal->point += decimal->count;
	if (decimal->count == 0) {
		decimal->digits[decimal->count++] = '0';
		decimal->point = 1;
	}
}

static struct binary to_binary(double number)
{
	union { double number; uint64_t bits; } shape = { .number = number };
	int exponent = shape.bits >> 52 & 0x7ff;
	uint64_t fraction = shape.bits & ((1UL << 52) - 1);

	return (struct binary){
		.fraction = exponent ? fraction | 1UL << 52 : fraction,
		.shift = (exponent ? exponent : 1) - 1075,
	};
}

void to_decimal(double number, struct decimal *decimal)
{
	binary_to_decimal(to_binary(number), decimal);
}

/* Digits that stand @exponent places before a point, against a decimal. */
static int compare_decimal(long digits, int exponent,
			   const struct decimal *decimal)
{
	char text[DIGITS + 2];
	int count = snprintf(text, sizeof(text), "%ld", digits);

	if (count + exponent != decimal->point)
		return count + exponent < decimal->point ? -1 : 1;
	for (int i = 0; i < count || i < decimal->count; i++) {
		char a = i < count ? text[i] : '0';
		char b = i < decimal->count ? decimal->digits[i] : '0';

		if (a != b)
			return a < b ? -1 : 1;
	}
	return 0;
}

/* One that is near becomes the nearest; of two, the even one. */
static double nearest(double number, long digits, int exponent)
{
	union { double number; uint64_t bits; } shape = { .number = number };
	struct decimal between;

	while (!is_infinite(shape.number)) {
		struct binary binary = to_binary(shape.number);
		bool odd = binary.fraction & 1;
		int order;

		binary.shift--;
		binary.fraction = 2 * binary.fraction + 1;
		binary_to_decimal(binary, &between);
		order = compare_decimal(digits, exponent, &between);
		if (order > 0 || (order == 0 && odd)) {
			shape.bits++;
			continue;
		}
		if (shape.number == 0)
			break;
		binary.fraction -= 2;
		binary_to_decimal(binary, &between);
		order = compare_decimal(digits, exponent, &between);
		if (order > 0 || (order == 0 && !odd))
			break;
		shape.bits--;
	}
	return shape.number;
}

/* digits * 10^exponent */
static double scale(long digits, int exponent)
{
	static const double exact[LARGEST_EXACT + 1] = {
		1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
		1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
	};
	double number = digits;
	int left = exponent;

	if (digits == 0 || exponent < -400)
		return 0;
	if (exponent > 400)
		return __builtin_inf();
	if (digits < 1L << 53 && left >= -LARGEST_EXACT && left <= LARGEST_EXACT)
		return left < 0 ? number / exact[-left] : number * exact[left];
	for (; left > 0; left -= left < LARGEST_EXACT ? left : LARGEST_EXACT)
		number *= exact[left < LARGEST_EXACT ? left : LARGEST_EXACT];
	for (; left < 0; left += -left < LARGEST_EXACT ? -left : LARGEST_EXACT)
		number /= exact[-left < LARGEST_EXACT ? -left : LARGEST_EXACT];
	return is_infinite(number) ? number : nearest(number, digits, exponent);
}

/* Decimal, with a sign: no hexadecimal, no infinity, as POSIX's awk of old. */
const char *scan_number(const char *text, double *number)
{
	const char *at = text;
	bool negative = false, any = false;
	long digits = 0;
	int exponent = 0;

	*number = 0;
	while (isspace(*at))
		at++;
	if (*at == '-' || *at == '+')
		negative = *at++ == '-';
	for (bool fraction = false; isdigit(*at) || (*at == '.' && !fraction); at++) {
		if (*at == '.') {
			fraction = true;
			continue;
		}
		any = true;
		if (digits < MOST_DIGITS) {
			digits = digits * 10 + (*at - '0');
			exponent -= fraction;
		} else {
			exponent += !fraction;	/* more than a double tells apart */
		}
	}
	if (!any)
		return text;
	if (*at == 'e' || *at == 'E') {
		const char *power = at + 1;
		int sign = *power == '-' ? -1 : 1, value = 0;

		if (*power == '-' || *power == '+')
			power++;
		if (isdigit(*power)) {
			for (; isdigit(*power); power++)
				if (value < 10000)
					value = value * 10 + (*power - '0');
			exponent += sign * value;
			at = power;
		}
	}
	*number = scale(digits, exponent);
	if (negative)
		*number = -*number;
	return at;
}

void round_decimal(struct decimal *decimal, int count)
{
	char *digits = decimal->digits;
	bool up;
	int i;

	if (count < 0) {		/* less than half a unit */
		decimal->count = 0;
		return;
	}
	if (count >= decimal->count)
		return;
	up = digits[count] > '5';
	if (digits[count] == '5') {
		for (i = count + 1; i < decimal->count && digits[i] == '0'; i++)
			;
		up = i < decimal->count ||
		     (count > 0 && (digits[count - 1] - '0') % 2);
	}
	decimal->count = count;
	if (!up)
		return;
	for (i = count - 1; i >= 0 && digits[i] == '9'; i--)
		digits[i] = '0';
	if (i >= 0) {
		digits[i]++;
		return;
	}
	/* All of them were nines, or there are none: a one before them. */
	memmove(digits + 1, digits, count);
	digits[0] = '1';
	decimal->count = count ? count : 1;
	decimal->point++;
}
