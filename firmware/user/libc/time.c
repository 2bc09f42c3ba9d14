/* SPDX-License-Identifier: GPL-2.0-only */
/* Calendar time in UTC, for times from 1970 on. */
#include <time.h>

static int days_in_year(int year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ?
	       366 : 365;
}

struct tm *gmtime_r(const time_t *when, struct tm *tm)
{
	static const char lengths[] = {
		31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31
	};
	long days = *when / 86400;
	long seconds = *when % 86400;
	int year = 1970;
	int month = 0;

	for (; days >= days_in_year(year); year++)
		days -= days_in_year(year);
	for (;; month++) {
		int length = lengths[month];

		if (month == 1 && days_in_year(year) == 366)
			length++;
		if (days < length)
			break;
		days -= length;
	}
	tm->tm_sec = seconds % 60;
	tm->tm_min = seconds / 60 % 60;
	tm->tm_hour = seconds / 3600;
	tm->tm_mday = days + 1;
	tm->tm_mon = month;
	tm->tm_year = year - 1900;
	return tm;
}
