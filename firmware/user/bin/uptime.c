/* SPDX-License-Identifier: GPL-2.0-only */
/* uptime [-ps]: how long the machine has been up, and how busy it was. */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LINE_MAX	128

static void first_line(const char *path, char line[LINE_MAX])
{
	FILE *f = fopen(path, "r");

	if (!f || !fgets(line, LINE_MAX, f))
		err(1, "%s", path);
	fclose(f);
}

static void show_time(const char *format, time_t when)
{
	char text[LINE_MAX];
	struct tm tm;

	strftime(text, sizeof(text), format, gmtime_r(&when, &tm));
	printf("%s", text);
}

/* "up 3 hours, 1 minute": without what is 0, but for the minutes alone. */
static void pretty(long seconds)
{
	static const struct {
		const char *name;
		long seconds;
	} units[] = {
		{ "week", 604800 }, { "day", 86400 }, { "hour", 3600 },
		{ "minute", 60 },
	};
	bool any = false;
	long n;

	printf("up");
	for (int i = 0; i < 4; i++) {
		n = seconds / units[i].seconds;
		seconds %= units[i].seconds;
		if (!n && (any || i < 3))
			continue;
		printf("%s %ld %s%s", any ? "," : "", n, units[i].name,
		       n == 1 ? "" : "s");
		any = true;
	}
	printf("\n");
}

/* Nobody is ever logged in. */
static void usual(long seconds, const char *loads)
{
	long days = seconds / 86400, hours = seconds / 3600 % 24;
	long minutes = seconds / 60 % 60;
	const char *rest = loads;
	int lengths[3];

	for (int i = 0; i < 3; i++) {
		lengths[i] = strcspn(rest, " ");
		rest += lengths[i] + 1;
	}
	show_time(" %H:%M:%S", time(NULL));
	printf(" up ");
	if (days)
		printf("%ld %s, ", days, days == 1 ? "day" : "days");
	if (hours)
		printf("%2ld:%02ld,  ", hours, minutes);
	else
		printf("%ld min,  ", minutes);
	printf("0 user,  load average: %.*s, %.*s, %.*s\n", lengths[0], loads,
	       lengths[1], loads + lengths[0] + 1, lengths[2],
	       loads + lengths[0] + lengths[1] + 2);
}

int main(int argc, char **argv)
{
	char up[LINE_MAX], loads[LINE_MAX];
	int option, form = 0;
	long seconds;

	while ((option = getopt(argc, argv, "ps")) >= 0) {
		if (option == '?')
			errx(1, "usage: uptime [-p|-s]");
		form = option;
	}
	first_line("/proc/uptime", up);
	seconds = strtol(up, NULL, 10);
	if (form == 'p') {
		pretty(seconds);
	} else if (form == 's') {
		show_time("%Y-%m-%d %H:%M:%S\n", time(NULL) - seconds);
	} else {
		first_line("/proc/loadavg", loads);
		usual(seconds, loads);
	}
	return 0;
}
