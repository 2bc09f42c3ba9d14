/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dmesg [-Ccrtwx] [-l LEVELS] [-n LEVEL]: the kernel's messages.
 *
 *   -C clear, -c show and clear, -r as they are kept, -t without times,
 *   -w wait for more, -x with their levels, -n what the console is to show
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <syscall.h>
#include <unistd.h>

#define SYSLOG_ACTION_CLEAR		5
#define SYSLOG_ACTION_CONSOLE_LEVEL	8

#define NR_LEVELS	8
#define RECORD_MAX	8192

static const char *const level_names[NR_LEVELS] = {
	"emerg", "alert", "crit", "err", "warn", "notice", "info", "debug",
};

static bool raw, no_time, follow, decode;
static unsigned int wanted_levels = ~0U;

static int syslog(int action, int value)
{
	long ret = arch_syscall(SYS_syslog, action, 0, value, 0);

	if (ret < 0) {
		errno = -ret;
		return -1;
	}
	return ret;
}

/* By name or number; -1 if it is none. */
static int parse_level(const char *s, size_t len)
{
	for (int i = 0; i < NR_LEVELS; i++)
		if (strlen(level_names[i]) == len &&
		    !strncmp(level_names[i], s, len))
			return i;
	return -1;
}

static void parse_levels(const char *list)
{
	wanted_levels = 0;
	while (*list) {
		size_t len = strcspn(list, ",");
		int level = parse_level(list, len);

		if (level < 0)
			errx(1, "unknown level '%.*s'", (int)len, list);
		wanted_levels |= 1U << level;
		list += len + (list[len] == ',');
	}
}

static int hex(char c)
{
	return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

/* Bytes that the record has as "\xNN". */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (s[0] == '\\' && s[1] == 'x' && s[2] && s[3]) {
			*to++ = hex(s[2]) << 4 | hex(s[3]);
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

/* "PRIORITY,SEQUENCE,MICROSECONDS,-;TEXT\n" */
static void show(char *record)
{
	char *at = record, *text = strchr(record, ';');
	unsigned long priority, us;

	if (!text)
		return;
	*text++ = '\0';
	text[strcspn(text, "\n")] = '\0';
	priority = strtoul(at, &at, 10);
	strtoul(at + 1, &at, 10);
	us = strtoul(at + 1, &at, 10);
	if (!(wanted_levels & 1U << (priority & 7)))
		return;
	unescape(text);
	if (raw)
		printf("<%lu>", priority);
	else if (decode)
		printf("%-6s:%-6s: ", priority >> 3 ? "user" : "kern",
		       level_names[priority & 7]);
	if (!no_time)
		printf("[%5lu.%06lu] ", us / 1000000, us % 1000000);
	puts(text);
}

static void show_all(void)
{
	static char record[RECORD_MAX];
	int fd = open("/dev/kmsg", O_RDONLY | (follow ? 0 : O_NONBLOCK));

	if (fd < 0)
		err(1, "cannot open /dev/kmsg");
	lseek(fd, 0, SEEK_DATA);
	for (;;) {
		ssize_t n = read(fd, record, sizeof(record) - 1);

		if (n < 0 && errno == EPIPE)
			continue;	/* some were overwritten */
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0)
			err(1, "/dev/kmsg");
		record[n] = '\0';
		show(record);
		if (follow)
			fflush(stdout);
	}
	close(fd);
}

int main(int argc, char **argv)
{
	bool clear = false, clear_only = false;
	int c, console_level = -1;

	while ((c = getopt(argc, argv, "Ccl:n:rtwx")) != -1) {
		switch (c) {
		case 'C': clear_only = true; break;
		case 'c': clear = true; break;
		case 'l': parse_levels(optarg); break;
		case 'n':
			console_level = parse_level(optarg, strlen(optarg)) + 1;
			if (console_level <= 0)
				console_level = parse_number(optarg);
			if (console_level < 1 || console_level > 8)
				errx(1, "unknown level '%s'", optarg);
			break;
		case 'r': raw = true; break;
		case 't': no_time = true; break;
		case 'w': follow = true; break;
		case 'x': decode = true; break;
		default: return 1;
		}
	}
	if (optind < argc)
		errx(1, "bad usage");
	if (console_level > 0) {
		if (syslog(SYSLOG_ACTION_CONSOLE_LEVEL, console_level) < 0)
			err(1, "klogctl failed");
		return 0;
	}
	if (!clear_only)
		show_all();
	if ((clear || clear_only) && syslog(SYSLOG_ACTION_CLEAR, 0) < 0)
		err(1, "klogctl failed");
	return 0;
}
