/* SPDX-License-Identifier: GPL-2.0-only */
/* Sizes for people to read. */
#include <files.h>
#include <stdio.h>

const char *human_size(unsigned long bytes)
{
	static const char units[] = "KMGTP";
	unsigned long unit = 1, tenths;
	static char text[24];
	int power = -1;

	while (bytes / unit >= 1024) {
		unit <<= 10;
		power++;
	}
	tenths = (bytes / unit) * 10 + (bytes % unit * 10 + unit - 1) / unit;
	if (power < 0)
		snprintf(text, sizeof(text), "%lu", bytes);
	else if (tenths < 100)
		snprintf(text, sizeof(text), "%lu.%lu%c", tenths / 10,
			 tenths % 10, units[power]);
	else
		snprintf(text, sizeof(text), "%lu%c", (tenths + 9) / 10,
			 units[power]);
	return text;
}
