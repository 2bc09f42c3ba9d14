/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * od [-A doxn] [-t TYPE]... [-bcdox] [-v] [-j SKIP] [-N COUNT] [FILE]...: shows
 * bytes. A TYPE is a, c, or one of d o u x with a size of 1, 2, 4 or 8, and
 * may end in z, for the characters beside.
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
#define MAX_TYPES 8

struct type {
	char kind;
	int size;
	int width;			/* of one, with the blank before it */
	bool beside;
};

static struct type types[MAX_TYPES];
static int type_count;
static char base = 'o';
static bool every_line;
static unsigned long limit = -1UL;

static void add_type(char kind, int size, bool beside)
{
	static const signed char decimal[] = { [1] = 4, [2] = 6, [4] = 11, [8] = 20 };
	struct type *type = &types[type_count];

	if (type_count == MAX_TYPES)
		errx(1, "too many types");
	*type = (struct type) { .kind = kind, .size = size, .beside = beside };
	switch (kind) {
	case 'a':
	case 'c':
		type->width = 3;
		break;
	case 'x':
		type->width = 2 * size;
		break;
	case 'o':
		type->width = (8 * size + 2) / 3;
		break;
	case 'u':
		type->width = decimal[size] - (size != 8);
		break;
	default:
		type->width = decimal[size];
	}
	type_count++;
}

static void parse_types(const char *text)
{
	static const char letters[] = "CSIL";
	static const char sizes[] = { 1, 2, 4, 8 };
	const char *at = text;

	while (*at) {
		char kind = *at++;
		int size = kind == 'a' || kind == 'c' ? 1 : 4;
		const char *letter;

		if (!strchr("acdoux", kind))
			errx(1, "invalid character '%c' in type string '%s'",
			     kind, text);
		if (strchr("doux", kind) && isdigit(*at)) {
			size = *at++ - '0';
			if (isdigit(*at) || !strchr("\1\2\4\10", size) || !size)
				errx(1, "invalid type string '%s'", text);
		} else if (strchr("doux", kind) && *at &&
			   (letter = strchr(letters, *at))) {
			size = sizes[letter - letters];
			at++;
		}
		add_type(kind, size, *at == 'z');
		at += *at == 'z';
	}
}

/* Bytes of one number, in the machine's own order. */
static uint64_t load(const unsigned char *bytes, int size)
{
	uint16_t half;
	uint32_t word;
	uint64_t all;

	switch (size) {
	case 1:
		return *bytes;
	case 2:
		memcpy(&half, bytes, 2);
		return half;
	case 4:
		memcpy(&word, bytes, 4);
		return word;
	default:
		memcpy(&all, bytes, 8);
		return all;
	}
}

static void print_character(unsigned char c, int width)
{
	static const char codes[] = "\0\a\b\t\n\v\f\r", names[] = "0abtnvfr";
	const char *code = memchr(codes, c, sizeof(codes) - 1);
	char text[8];

	if (code)
		snprintf(text, sizeof(text), "\\%c", names[code - codes]);
	else if (isprint(c))
		snprintf(text, sizeof(text), "%c", c);
	else
		snprintf(text, sizeof(text), "%03o", c);
	printf("%*s", width, text);
}

static void print_named(unsigned char c, int width)
{
	static const char *const names[] = {
		"nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs",
		"ht", "nl", "vt", "ff", "cr", "so", "si", "dle", "dc1", "dc2",
		"dc3", "dc4", "nak", "syn", "etb", "can", "em", "sub", "esc",
		"fs", "gs", "rs", "us", "sp"
	};
	char one[2] = { c & 0x7f, '\0' };

	c &= 0x7f;
	printf("%*s", width, c <= ' ' ? names[c] : c == 0x7f ? "del" : one);
}

static void print_number(const struct type *type, uint64_t value, int width)
{
	int shift = 64 - 8 * type->size;

	switch (type->kind) {
	case 'x':
		printf("%*s%0*lx", width - type->width, "", type->width, value);
		break;
	case 'o':
		printf("%*s%0*lo", width - type->width, "", type->width, value);
		break;
	case 'u':
		printf("%*lu", width, value);
		break;
	default:
		printf("%*ld", width, (long)(value << shift) >> shift);
	}
}

/* All types are as wide as the widest, number for number. */
static int wide(const struct type *type)
{
	int most = 0;

	for (int i = 0; i < type_count; i++) {
		int line = (types[i].width + 1) * (BLOCK / types[i].size);

		most = line > most ? line : most;
	}
	return most / (BLOCK / type->size);
}

static void print_block(const unsigned char *bytes, int length,
			const struct type *type)
{
	int width = wide(type), printed = 0;

	for (int at = 0; at < length; at += type->size, printed += width) {
		if (type->kind == 'c')
			print_character(bytes[at], width);
		else if (type->kind == 'a')
			print_named(bytes[at], width);
		else
			print_number(type, load(bytes + at, type->size), width);
	}
	if (!type->beside)
		return;
	printf("%*s  >", width * (BLOCK / type->size) - printed, "");
	for (int i = 0; i < length; i++)
		putchar(isprint(bytes[i]) ? bytes[i] : '.');
	putchar('<');
}

static void print_address(unsigned long address)
{
	switch (base) {
	case 'o':
		printf("%07lo", address);
		break;
	case 'd':
		printf("%07lu", address);
		break;
	case 'x':
		printf("%06lx", address);
		break;
	}
}

static struct input input;

static int read_block(unsigned char *bytes)
{
	int length = 0, c;

	memset(bytes, 0, BLOCK);
	while (length < BLOCK && limit > 0 && (c = input_byte(&input)) != EOF) {
		bytes[length++] = c;
		limit--;
	}
	return length;
}

static void dump(unsigned long address)
{
	unsigned char bytes[BLOCK], last[BLOCK];
	bool repeating = false, first = true;
	int length;

	for (; (length = read_block(bytes)); address += length) {
		if (!every_line && !first && length == BLOCK &&
		    !memcmp(bytes, last, BLOCK)) {
			if (!repeating)
				puts("*");
			repeating = true;
			continue;
		}
		first = repeating = false;
		memcpy(last, bytes, BLOCK);
		for (int i = 0; i < type_count; i++) {
			if (i == 0)
				print_address(address);
			else if (base != 'n')
				printf("%*s", base == 'x' ? 6 : 7, "");
			print_block(bytes, length, &types[i]);
			putchar('\n');
		}
	}
	if (base != 'n') {
		print_address(address);
		putchar('\n');
	}
}

static unsigned long size_argument(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 0);

	if (*end == 'b')
		value *= 512;
	else if (*end == 'k' || *end == 'K')
		value *= 1024;
	else if (*end)
		errx(1, "invalid argument '%s'", text);
	return value;
}

static void parse_option(int option, unsigned long *skip)
{
	switch (option) {
	case 'A':
		base = *optarg;
		if (!strchr("doxn", base) || !base)
			errx(1, "invalid output address radix '%c'; it must be "
			     "one character from [doxn]", base);
		break;
	case 't': parse_types(optarg); break;
	case 'v': every_line = true; break;
	case 'j': *skip = size_argument(optarg); break;
	case 'N': limit = size_argument(optarg); break;
	case 'a': add_type('a', 1, false); break;
	case 'b': add_type('o', 1, false); break;
	case 'c': add_type('c', 1, false); break;
	case 'd': add_type('u', 2, false); break;
	case 'o': add_type('o', 2, false); break;
	case 'x': add_type('x', 2, false); break;
	default: exit(1);
	}
}

int main(int argc, char **argv)
{
	static char *standard[] = { "-", NULL };
	unsigned long skip = 0;
	int option;

	while ((option = getopt(argc, argv, "A:t:vj:N:abcdox")) >= 0)
		parse_option(option, &skip);
	if (type_count == 0)
		add_type('o', 2, false);
	input.files = optind < argc ? argv + optind : standard;
	for (unsigned long i = 0; i < skip; i++)
		if (input_byte(&input) == EOF)
			errx(1, "cannot skip past end of combined input");
	dump(skip);
	return input.status;
}
