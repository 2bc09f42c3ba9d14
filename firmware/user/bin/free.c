/* SPDX-License-Identifier: GPL-2.0-only */
/* free [-bkmght]: how much memory there is, and what it is used for. */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MEMINFO	"/proc/meminfo"
#define CELL	16

static bool human;
static int shift = 10;		/* of the unit: bytes to the right */

/* Of a line "Name:  N kB"; 0 if there is none. */
static unsigned long meminfo(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *line = text; *line; ) {
		if (!strncmp(line, name, len) && line[len] == ':')
			return strtoul(line + len + 1, NULL, 10) << 10;
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	return 0;
}

/* "75Mi": three characters of number, of which one may be a point. */
static void scale(char cell[CELL], unsigned long bytes)
{
	static const char *const units[] = { "B", "Ki", "Mi", "Gi", "Ti" };
	unsigned long tenths = bytes * 10;
	int unit = 0;

	if (!human) {
		snprintf(cell, CELL, "%lu", bytes >> shift);
		return;
	}
	for (; tenths >= 10000 && unit < 4; unit++)
		tenths >>= 10;
	if (unit && tenths < 100)
		snprintf(cell, CELL, "%lu.%lu%s", tenths / 10, tenths % 10,
			 units[unit]);
	else
		snprintf(cell, CELL, "%lu%s", tenths / 10, units[unit]);
}

static void row(const char *name, const unsigned long *values, int n)
{
	char cell[CELL];

	printf("%-9s", name);
	for (int i = 0; i < n; i++) {
		scale(cell, values[i]);
		printf("%*s", i ? 12 : 11, cell);
	}
	printf("\n");
}

static void read_text(const char *path, char *text, size_t size)
{
	FILE *f = fopen(path, "r");

	if (!f)
		err(1, "%s", path);
	text[fread(text, 1, size - 1, f)] = '\0';
	fclose(f);
}

static void show(bool total)
{
	enum { TOTAL, USED, FREE, SHARED, CACHE, AVAILABLE, NR };
	unsigned long mem[NR], swap[FREE + 1], both[FREE + 1];
	char text[4096];

	read_text(MEMINFO, text, sizeof(text));
	mem[TOTAL] = meminfo(text, "MemTotal");
	mem[FREE] = meminfo(text, "MemFree");
	mem[SHARED] = meminfo(text, "Shmem");
	mem[CACHE] = meminfo(text, "Buffers") + meminfo(text, "Cached") +
		     meminfo(text, "SReclaimable");
	mem[AVAILABLE] = meminfo(text, "MemAvailable");
	mem[USED] = mem[TOTAL] - mem[AVAILABLE];
	swap[TOTAL] = meminfo(text, "SwapTotal");
	swap[FREE] = meminfo(text, "SwapFree");
	swap[USED] = swap[TOTAL] - swap[FREE];

	printf("%20s%12s%12s%12s%12s%12s\n", "total", "used", "free",
	       "shared", "buff/cache", "available");
	row("Mem:", mem, NR);
	row("Swap:", swap, FREE + 1);
	for (int i = 0; i <= FREE; i++)
		both[i] = mem[i] + swap[i];
	if (total)
		row("Total:", both, FREE + 1);
}

int main(int argc, char **argv)
{
	bool total = false;
	int option;

	while ((option = getopt(argc, argv, "bkmght")) >= 0) {
		switch (option) {
		case 'b':
			shift = 0;
			break;
		case 'k':
			shift = 10;
			break;
		case 'm':
			shift = 20;
			break;
		case 'g':
			shift = 30;
			break;
		case 'h':
			human = true;
			break;
		case 't':
			total = true;
			break;
		default:
			errx(1, "usage: free [-b|-k|-m|-g|-h] [-t]");
		}
	}
	show(total);
	return 0;
}
