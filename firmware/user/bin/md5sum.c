/* SPDX-License-Identifier: GPL-2.0-only */
/* md5sum [FILE]..., md5sum -c [FILE]...: RFC 1321's digests, or checks them. */
#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The whole part of 2^32 times |sin(i + 1)|. */
static const uint32_t sines[64] = {
	0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a,
	0xa8304613, 0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be,
	0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340,
	0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
	0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8,
	0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c,
	0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa,
	0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
	0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92,
	0xffeff47d, 0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1,
	0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

static const unsigned char shifts[4][4] = {
	{ 7, 12, 17, 22 }, { 5, 9, 14, 20 }, { 4, 11, 16, 23 }, { 6, 10, 15, 21 },
};

static void add_block(uint32_t state[4], const unsigned char *block)
{
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3];

	for (int i = 0; i < 64; i++) {
		int round = i / 16, shift = shifts[round][i % 4];
		int word = round == 0 ? i : round == 1 ? 5 * i + 1 :
			   round == 2 ? 3 * i + 5 : 7 * i;
		const unsigned char *at = block + 4 * (word % 16);
		uint32_t f = round == 0 ? (b & c) | (~b & d) :
			     round == 1 ? (d & b) | (~d & c) :
			     round == 2 ? b ^ c ^ d : c ^ (b | ~d);

		f += a + sines[i] + (at[0] | at[1] << 8 | at[2] << 16 |
				     (uint32_t)at[3] << 24);
		a = d;
		d = c;
		c = b;
		b += f << shift | f >> (32 - shift);
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
}

/* In hexadecimal digits; false on an error. */
static bool digest(FILE *f, char text[33])
{
	uint32_t state[4] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 };
	unsigned char block[64];
	uint64_t size = 0;
	size_t got;

	while ((got = fread(block, 1, sizeof(block), f)) == sizeof(block)) {
		add_block(state, block);
		size += got;
	}
	size = (size + got) * 8;
	/* A one, zeros, and the number of bits end the last block. */
	block[got++] = 0x80;
	if (got > 56) {
		memset(block + got, 0, 64 - got);
		add_block(state, block);
		got = 0;
	}
	memset(block + got, 0, 56 - got);
	for (int i = 0; i < 8; i++)
		block[56 + i] = size >> 8 * i;
	add_block(state, block);
	for (int i = 0; i < 16; i++)
		sprintf(text + 2 * i, "%02x",
			state[i / 4] >> 8 * (i % 4) & 0xff);
	return !ferror(f);
}

static bool digest_file(const char *name, char text[33])
{
	FILE *f = strcmp(name, "-") ? fopen(name, "r") : stdin;
	bool done = f && digest(f, text);

	if (!done)
		warn("%s", name);
	if (f && f != stdin)
		fclose(f);
	return done;
}

/* Lines of a digest, two characters, and a name. */
static bool check(const char *list)
{
	FILE *f = strcmp(list, "-") ? fopen(list, "r") : stdin;
	int wrong = 0, missing = 0;
	char line[BUFSIZ], text[33];

	if (!f) {
		warn("%s", list);
		return false;
	}
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (strlen(line) < 35 || line[32] != ' ')
			continue;
		if (!digest_file(line + 34, text)) {
			printf("%s: FAILED open or read\n", line + 34);
			missing++;
		} else if (strncasecmp(line, text, 32)) {
			printf("%s: FAILED\n", line + 34);
			wrong++;
		} else {
			printf("%s: OK\n", line + 34);
		}
	}
	fflush(stdout);
	if (missing)
		warnx("WARNING: %d listed file%s could not be read", missing,
		      missing > 1 ? "s" : "");
	if (wrong)
		warnx("WARNING: %d computed checksum%s did NOT match", wrong,
		      wrong > 1 ? "s" : "");
	if (f != stdin)
		fclose(f);
	return !wrong && !missing;
}

int main(int argc, char **argv)
{
	static char *standard_input[] = { "-", NULL };
	bool checking = false, done = true;
	char text[33];
	int option;

	while ((option = getopt(argc, argv, "bct")) >= 0) {
		if (option == '?')
			return 1;
		checking |= option == 'c';
	}
	argv = optind < argc ? argv + optind : standard_input;
	for (; *argv; argv++) {
		if (checking)
			done &= check(*argv);
		else if (digest_file(*argv, text))
			printf("%s  %s\n", text, *argv);
		else
			done = false;
	}
	return !done;
}
