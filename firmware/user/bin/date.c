/* SPDX-License-Identifier: GPL-2.0-only */
/* date [-u] [-d @SECONDS] [+FORMAT]: the guest's clock, in UTC. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* %N, which strftime() has not, is done here: nanoseconds. */
static char *with_nanoseconds(const char *format, long nanoseconds)
{
	char *result = xmalloc(9 * strlen(format) + 1);
	char *to = result;

	while (*format) {
		if (format[0] == '%' && format[1] == 'N') {
			to += sprintf(to, "%09ld", nanoseconds);
			format += 2;
			continue;
		}
		if (format[0] == '%' && format[1])
			*to++ = *format++;
		*to++ = *format++;
	}
	*to = '\0';
	return result;
}

int main(int argc, char **argv)
{
	const char *format = "%a %b %e %H:%M:%S UTC %Y";
	struct timespec now;
	char text[1024];
	struct tm tm;
	int option;

	if (clock_gettime(CLOCK_REALTIME, &now) < 0)
		err(1, "cannot get the time");
	while ((option = getopt(argc, argv, "ud:")) >= 0) {
		if (option == 'd') {
			char *end;

			now.tv_nsec = 0;
			now.tv_sec = strtol(optarg + 1, &end, 10);
			if (*optarg != '@' || !optarg[1] || *end ||
			    now.tv_sec < 0)
				errx(1, "invalid date '%s'", optarg);
		} else if (option != 'u') {
			return 1;
		}
	}
	if (optind < argc && argv[optind][0] == '+')
		format = argv[optind++] + 1;
	if (optind < argc)
		errx(1, "extra operand '%s'", argv[optind]);
	gmtime_r(&now.tv_sec, &tm);
	strftime(text, sizeof(text), with_nanoseconds(format, now.tv_nsec),
		 &tm);
	puts(text);
	return 0;
}
