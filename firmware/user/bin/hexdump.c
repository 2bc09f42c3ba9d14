/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hexdump [-C] [-v] [-s SKIP] [-n COUNT] [FILE]...: bytes in hexadecimal; -C with
 * their characters, else as words of 16 bits.
 */
#include <ctype.h>
#include <err.h>
#include <input.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK	16

static bool canonical, every_line;
static unsigned long limit = -1UL;
static struct input input;

static void print_canonical(const unsigned char *bytes, int length)
{
	for (int i = 0; i < BLOCK; i++) {
		fputs(i % 8 ? " " : "  ", stdout);
		if (i < length)
			printf("%02x", bytes[i]);
		else
			fputs("  ", stdout);
	}
	fputs("  |", stdout);
	for (int i = 0; i < length; i++)
		putchar(isprint(bytes[i]) ? bytes[i] : '.');
	puts("|");
}

static void print_words(const unsigned char *bytes, int length)
{
	for (int i = 0; i < BLOCK; i += 2) {
		uint16_t word;

		memcpy(&word, bytes + i, sizeof(word));
		if (i < length)
			printf(" %04x", word);
		else
			fputs("     ", stdout);
	}
	putchar('\n');
}

static void dump(unsigned long address)
{
	unsigned char bytes[BLOCK], last[BLOCK];
	bool repeating = false, first = true;

	for (;;) {
		int length = 0, c;

		memset(bytes, 0, BLOCK);
		for (; length < BLOCK && limit > 0 &&
		       (c = input_byte(&input)) != EOF; limit--)
			bytes[length++] = c;
		if (length == 0)
			break;
		if (!every_line && !first && length == BLOCK &&
		    !memcmp(bytes, last, BLOCK)) {
			if (!repeating)
				puts("*");
			repeating = true;
		} else {
			repeating = false;
			printf(canonical ? "%08lx" : "%07lx", address);
			if (canonical)
				print_canonical(bytes, length);
			else
				print_words(bytes, length);
		}
		first = false;
		memcpy(last, bytes, BLOCK);
		address += length;
	}
	if (address)
		printf(canonical ? "%08lx\n" : "%07lx\n", address);
}

static unsigned long number(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 0);

	if (end == text || *end)
		errx(1, "%s: bad value", text);
	return value;
}

int main(int argc, char **argv)
{
	static char *standard[] = { "-", NULL };
	unsigned long skip = 0;
	int option;

	while ((option = getopt(argc, argv, "Cvs:n:")) >= 0) {
		switch (option) {
		case 'C': canonical = true; break;
		case 'v': every_line = true; break;
		case 's': skip = number(optarg); break;
		case 'n': limit = number(optarg); break;
		default: return 1;
		}
	}
	input.files = optind < argc ? argv + optind : standard;
	for (unsigned long i = 0; i < skip; i++)
		if (input_byte(&input) == EOF)
			break;
	dump(skip);
	return input.status;
}
