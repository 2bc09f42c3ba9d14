/* SPDX-License-Identifier: GPL-2.0-only */
/* dd's last line, as GNU's has it. */
#include <stdio.h>
#include <string.h>

#include "dd.h"

#define NANO	1000000000L

/* "1.5 MB": one decimal below ten, rounded up as GNU does. */
static void amount(char *to, size_t size, unsigned long value,
		   unsigned long unit, const char *const *names)
{
	unsigned long divisor = 1, tenths;
	int power = 0;

	while (value / divisor >= unit && power < 4) {
		divisor *= unit;
		power++;
	}
	tenths = value / divisor * 10 +
		 (value % divisor * 10 + divisor / 2) / divisor;
	if (power && tenths < 100)
		snprintf(to, size, "%lu.%lu %s", tenths / 10, tenths % 10,
			 names[power]);
	else
		snprintf(to, size, "%lu %s",
			 (value + divisor / 2) / divisor, names[power]);
}

static const char *const decimal[] = { "B", "kB", "MB", "GB", "TB" };
static const char *const binary[] = { "B", "KiB", "MiB", "GiB", "TiB" };

/* Seconds with six digits that count, as %g. */
static void seconds(char *to, size_t size, long ns)
{
	long unit = 1, digits;
	int exponent = -9;
	char text[24];
	size_t length;

	for (digits = ns; digits >= 1000000; digits /= 10)
		unit *= 10;
	digits = (ns + unit / 2) / unit;
	while (unit > 1) {
		unit /= 10;
		exponent++;
	}
	while (digits && digits % 10 == 0) {
		digits /= 10;
		exponent++;
	}
	snprintf(text, sizeof(text), "%ld", digits);
	length = strlen(text);
	if (!digits) {
		snprintf(to, size, "0");
	} else if ((int)length + exponent < -3) {
		snprintf(to, size, length > 1 ? "%c.%se-%02d" : "%c%se-%02d",
			 text[0], text + 1, -(exponent + (int)length - 1));
	} else if (exponent >= 0) {
		snprintf(to, size, "%s%.*s", text, exponent, "000000000");
	} else if ((int)length + exponent <= 0) {
		snprintf(to, size, "0.%.*s%s", -exponent - (int)length,
			 "000", text);
	} else {
		snprintf(to, size, "%.*s.%s", (int)length + exponent, text,
			 text + length + exponent);
	}
}

void print_transfer(long bytes, long ns)
{
	char time[32], rate[32], si[32], iec[32];
	unsigned long speed;

	seconds(time, sizeof(time), ns);
	if (ns > 0 && bytes < 9000000000L)
		speed = (unsigned long)bytes * NANO / ns;
	else
		speed = bytes / (ns / NANO + 1);
	amount(rate, sizeof(rate), speed, 1000, decimal);
	amount(si, sizeof(si), bytes, 1000, decimal);
	amount(iec, sizeof(iec), bytes, 1024, binary);
	fprintf(stderr, "%ld byte%s ", bytes, bytes == 1 ? "" : "s");
	if (bytes >= 1024)
		fprintf(stderr, "(%s, %s) ", si, iec);
	else if (bytes >= 1000)
		fprintf(stderr, "(%s) ", si);
	fprintf(stderr, "copied, %s s, %s/s\n", time, rate);
}
