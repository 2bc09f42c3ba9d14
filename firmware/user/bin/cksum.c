/* SPDX-License-Identifier: GPL-2.0-only */
/* cksum [FILE]...: POSIX's checksum and size of each. */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define POLYNOMIAL	0x04c11db7u

static uint32_t table[256];

static void fill_table(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t value = i << 24;

		for (int bit = 0; bit < 8; bit++)
			value = value << 1 ^ (value >> 31 ? POLYNOMIAL : 0);
		table[i] = value;
	}
}

static uint32_t add(uint32_t sum, unsigned char byte)
{
	return sum << 8 ^ table[sum >> 24 ^ byte];
}

/* Of the bytes, and of their number, its lowest byte first. */
static int show(int fd, const char *name)
{
	unsigned char data[BUFSIZ];
	unsigned long size = 0;
	uint32_t sum = 0;
	ssize_t got;

	while ((got = read(fd, data, sizeof(data))) > 0) {
		size += got;
		for (ssize_t i = 0; i < got; i++)
			sum = add(sum, data[i]);
	}
	if (got < 0) {
		warn("%s", name ? name : "-");
		return 1;
	}
	for (unsigned long left = size; left; left >>= 8)
		sum = add(sum, left);
	printf("%u %lu%s%s\n", ~sum, size, name ? " " : "", name ? name : "");
	return 0;
}

int main(int argc, char **argv)
{
	int status = 0;

	if (getopt(argc, argv, "") >= 0)
		return 1;
	fill_table();
	if (optind == argc)
		return show(STDIN_FILENO, NULL);
	for (; optind < argc; optind++) {
		FILE *f = strcmp(argv[optind], "-") ? fopen(argv[optind], "r") :
						      stdin;

		if (!f) {
			warn("%s", argv[optind]);
			status = 1;
			continue;
		}
		status |= show(fileno(f), argv[optind]);
		if (f != stdin)
			fclose(f);
	}
	return status;
}
