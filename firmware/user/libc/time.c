/* SPDX-License-Identifier: GPL-2.0-only */
/* Calendar time in UTC, for times from 1970 on. */
#include <stdio.h>
#include <string.h>
#include <time.h>

static int days_in_year(int year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ?
	       366 : 365;
}

static int days_in_month(int month, int year)
{
	static const char lengths[] = {
		31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31
	};

	return lengths[month] + (month == 1 && days_in_year(year) == 366);
}

struct tm *gmtime_r(const time_t *when, struct tm *tm)
{
	long days = *when / 86400;
	long seconds = *when % 86400;
	int year = 1970;
	int month = 0;

	tm->tm_wday = (days + 4) % 7;
	for (; days >= days_in_year(year); year++)
		days -= days_in_year(year);
	tm->tm_yday = days;
	for (; days >= days_in_month(month, year); month++)
		days -= days_in_month(month, year);
	tm->tm_sec = seconds % 60;
	tm->tm_min = seconds / 60 % 60;
	tm->tm_hour = seconds / 3600;
	tm->tm_mday = days + 1;
	tm->tm_mon = month;
	tm->tm_year = year - 1900;
	return tm;
}

time_t timegm(const struct tm *tm)
{
	int year = tm->tm_year + 1900;
	long days = tm->tm_mday - 1;

	for (int y = 1970; y < year; y++)
		days += days_in_year(y);
	for (int month = 0; month < tm->tm_mon; month++)
		days += days_in_month(month, year);
	return days * 86400 + tm->tm_hour * 3600L + tm->tm_min * 60 +
	       tm->tm_sec;
}

static const char *const days[] = {
	"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday",
	"Saturday"
};

static const char *const months[] = {
	"January", "February", "March", "April", "May", "June", "July",
	"August", "September", "October", "November", "December"
};

/* The week's number when weeks begin on the day that is first days later. */
static int week(const struct tm *tm, int first)
{
	return (tm->tm_yday + 7 - (tm->tm_wday + 7 - first) % 7) / 7;
}

/* The ISO week: the first has the year's first Thursday. */
static int iso_week(const struct tm *tm, int *year)
{
	int thursday = tm->tm_yday - (tm->tm_wday + 6) % 7 + 3;

	*year = tm->tm_year + 1900;
	if (thursday < 0)
		thursday += days_in_year(--*year);
	else if (thursday >= days_in_year(*year))
		thursday -= days_in_year((*year)++);
	return thursday / 7 + 1;
}

static size_t convert(char *to, size_t size, char kind, const struct tm *tm);

static size_t expand(char *to, size_t size, const char *format,
		     const struct tm *tm)
{
	size_t length = 0;

	for (; *format; format++) {
		char text[64];
		size_t count = 1;

		if (*format == '%' && format[1]) {
			count = convert(text, sizeof(text), *++format, tm);
			/* Not a conversion: as it stands. */
			if (count == (size_t)-1)
				count = snprintf(text, sizeof(text), "%%%c",
						 *format);
		} else {
			text[0] = *format;
		}
		if (length + count >= size)
			return 0;
		memcpy(to + length, text, count);
		length += count;
	}
	to[length] = '\0';
	return length;
}

static size_t convert(char *to, size_t size, char kind, const struct tm *tm)
{
	int year = tm->tm_year + 1900;
	int hour = tm->tm_hour % 12 ? tm->tm_hour % 12 : 12;
	int number;

	switch (kind) {
	case 'a':
		return snprintf(to, size, "%.3s", days[tm->tm_wday]);
	case 'A':
		return snprintf(to, size, "%s", days[tm->tm_wday]);
	case 'b':
	case 'h':
		return snprintf(to, size, "%.3s", months[tm->tm_mon]);
	case 'B':
		return snprintf(to, size, "%s", months[tm->tm_mon]);
	case 'c':
		return expand(to, size, "%a %b %e %H:%M:%S %Y", tm);
	case 'C':
		return snprintf(to, size, "%02d", year / 100);
	case 'd':
		return snprintf(to, size, "%02d", tm->tm_mday);
	case 'D':
	case 'x':
		return expand(to, size, "%m/%d/%y", tm);
	case 'e':
		return snprintf(to, size, "%2d", tm->tm_mday);
	case 'F':
		return expand(to, size, "%Y-%m-%d", tm);
	case 'g':
		iso_week(tm, &number);
		return snprintf(to, size, "%02d", number % 100);
	case 'G':
		iso_week(tm, &number);
		return snprintf(to, size, "%d", number);
	case 'H':
		return snprintf(to, size, "%02d", tm->tm_hour);
	case 'I':
		return snprintf(to, size, "%02d", hour);
	case 'j':
		return snprintf(to, size, "%03d", tm->tm_yday + 1);
	case 'k':
		return snprintf(to, size, "%2d", tm->tm_hour);
	case 'l':
		return snprintf(to, size, "%2d", hour);
	case 'm':
		return snprintf(to, size, "%02d", tm->tm_mon + 1);
	case 'M':
		return snprintf(to, size, "%02d", tm->tm_min);
	case 'n':
		return snprintf(to, size, "\n");
	case 'p':
		return snprintf(to, size, tm->tm_hour < 12 ? "AM" : "PM");
	case 'P':
		return snprintf(to, size, tm->tm_hour < 12 ? "am" : "pm");
	case 'r':
		return expand(to, size, "%I:%M:%S %p", tm);
	case 'R':
		return expand(to, size, "%H:%M", tm);
	case 's':
		return snprintf(to, size, "%ld", timegm(tm));
	case 'S':
		return snprintf(to, size, "%02d", tm->tm_sec);
	case 't':
		return snprintf(to, size, "\t");
	case 'T':
	case 'X':
		return expand(to, size, "%H:%M:%S", tm);
	case 'u':
		return snprintf(to, size, "%d", tm->tm_wday ? tm->tm_wday : 7);
	case 'U':
		return snprintf(to, size, "%02d", week(tm, 0));
	case 'V':
		return snprintf(to, size, "%02d", iso_week(tm, &number));
	case 'w':
		return snprintf(to, size, "%d", tm->tm_wday);
	case 'W':
		return snprintf(to, size, "%02d", week(tm, 1));
	case 'y':
		return snprintf(to, size, "%02d", year % 100);
	case 'Y':
		return snprintf(to, size, "%d", year);
	case 'z':
		return snprintf(to, size, "+0000");
	case 'Z':
		return snprintf(to, size, "UTC");
	case '%':
		return snprintf(to, size, "%%");
	default:
		return -1;
	}
}

size_t strftime(char *to, size_t size, const char *format, const struct tm *tm)
{
	return expand(to, size, format, tm);
}
