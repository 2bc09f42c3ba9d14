/* SPDX-License-Identifier: GPL-2.0-only */
/* Areas become one and are cut as Linux does it; page tables go with them. */
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <syscall.h>
#include <unistd.h>
#include "memcheck.h"

#define RW	(PROT_READ | PROT_WRITE)
#define APART	(1UL << 30)	/* so far apart, areas share few page tables */

static char text[16384];

static const char *contents(const char *path)
{
	int fd = open(path, O_RDONLY);
	size_t size = 0;
	ssize_t n;

	if (fd < 0)
		err(2, "%s", path);
	while ((n = read(fd, text + size, sizeof(text) - 1 - size)) > 0)
		size += n;
	text[size] = '\0';
	close(fd);
	return text;
}

/* The rights of all areas that begin in the range, as "rw-p r--p ". */
static const char *areas(const char *start, size_t pages)
{
	const char *line = contents("/proc/self/maps");
	unsigned long from = (unsigned long)start, at;
	static char found[256];
	char *out = found;

	while (*line) {
		char *end;

		at = strtoul(line, &end, 16);
		if (at >= from && at < from + pages * PAGE &&
		    out < found + sizeof(found) - 6) {
			memcpy(out, strchr(end, ' ') + 1, 5);
			out += 5;
		}
		line = strchr(line, '\n') + 1;
	}
	*out = '\0';
	return found;
}

static bool are(const char *start, size_t pages, const char *expected)
{
	const char *found = areas(start, pages);

	if (!strcmp(found, expected))
		return true;
	printf("memcheck: areas %snot %s\n", found, expected);
	return false;
}

static void map_at(char *p, size_t pages, int prot, int fd, off_t offset)
{
	int flags = fd < 0 ? MAP_ANONYMOUS | MAP_PRIVATE : MAP_SHARED;

	if (mmap(p, pages * PAGE, prot, flags | MAP_FIXED, fd, offset) != p)
		err(2, "cannot map at an address");
}

static void check_file_areas(char *p)
{
	int fd = open("/memcheck.tmp", O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (fd < 0)
		err(2, "/memcheck.tmp");
	munmap(p, 8 * PAGE);
	map_at(p, 2, RW, fd, 0);
	map_at(p + 2 * PAGE, 2, RW, fd, 2 * PAGE);
	check(are(p, 8, "rw-s "), "a file's pages in a row");
	map_at(p + PAGE, 1, RW, fd, 5 * PAGE);
	check(are(p, 8, "rw-s rw-s rw-s "), "a file's pages out of order");
	map_at(p + PAGE, 1, RW, fd, PAGE);
	check(are(p, 8, "rw-s "), "a file's pages in order again");
	mprotect(p, PAGE, PROT_READ);
	check(are(p, 8, "r--s rw-s "), "mprotect() of a file's page");
	munmap(p, 8 * PAGE);
	close(fd);
	unlink("/memcheck.tmp");
}

void check_areas(void)
{
	char *p = map(10, PROT_NONE, MAP_PRIVATE) + PAGE, *heap;
	int i;

	map_at(p, 8, RW, -1, 0);
	for (i = 0; i < 8; i++)
		p[i * PAGE] = i;
	mprotect(p + 2 * PAGE, 4 * PAGE, PROT_READ);
	check(are(p, 8, "rw-p r--p rw-p "), "mprotect() of the middle");
	mprotect(p + 2 * PAGE, PAGE, RW);
	check(are(p, 8, "rw-p r--p rw-p "), "mprotect() moves a border up");
	mprotect(p + PAGE, 2 * PAGE, PROT_READ);
	check(are(p, 8, "rw-p r--p rw-p "), "mprotect() moves a border down");
	mprotect(p + 4 * PAGE, PAGE, PROT_EXEC | PROT_READ);
	check(are(p, 8, "rw-p r--p r-xp r--p rw-p "), "mprotect() of one page");
	mprotect(p + 4 * PAGE, PAGE, PROT_READ);
	check(are(p, 8, "rw-p r--p rw-p "), "mprotect() closes a gap");
	mprotect(p, 8 * PAGE, RW);
	check(are(p, 8, "rw-p "), "mprotect() of all");
	for (i = 0; i < 8; i++)
		check(p[i * PAGE] == i, "contents after all that");

	munmap(p + 3 * PAGE, 2 * PAGE);
	check(are(p, 8, "rw-p rw-p "), "munmap() of the middle");
	map_at(p + 3 * PAGE, 1, RW, -1, 0);
	check(are(p, 8, "rw-p rw-p "), "mmap() makes an area longer");
	map_at(p + 4 * PAGE, 1, RW, -1, 0);
	check(are(p, 8, "rw-p ") && !p[4 * PAGE] && p[5 * PAGE] == 5,
	      "mmap() closes a hole");
	map_at(p + 3 * PAGE, 1, PROT_READ, -1, 0);
	check(are(p, 8, "rw-p r--p rw-p "), "mmap() over the middle");
	munmap(p + 4 * PAGE, 4 * PAGE);
	check(call(SYS_mremap, (long)p + 3 * PAGE, PAGE, 5 * PAGE, 0) > 0 &&
	      are(p, 8, "rw-p r--p "), "mremap() up to what comes next");
	check_file_areas(p);
	munmap(p - PAGE, 10 * PAGE);

	heap = (char *)call(SYS_brk, 0, 0, 0, 0);
	for (i = 1; i <= 4; i++)
		call(SYS_brk, (long)heap + i * PAGE, 0, 0, 0);
	heap[4 * PAGE - 1] = 1;
	check(are(heap + 1, 5, ""), "the heap is one area");
	call(SYS_brk, (long)heap, 0, 0, 0);
}

static long table_kilobytes(void)
{
	const char *line = strstr(contents("/proc/self/status"), "VmPTE:");

	return line ? atoi(line + 6) : -1;
}

static volatile bool stop;

/* Other translations, needed all the time while tables go. */
static void *reader(void *arg)
{
	volatile char *p = arg;
	unsigned long wrong = 0;

	while (!stop) {
		wrong += p[0] != 1 || p[APART] != 2;
		p[1]++;
		p[APART + 1]++;
	}
	return (void *)wrong;
}

void check_tables(void)
{
	char *base = (char *)(64 * APART), *own = (char *)(200 * APART);
	long before, during, i;
	pthread_t thread;
	void *wrong;

	map_at(own, 1, RW, -1, 0);
	map_at(own + APART, 1, RW, -1, 0);
	own[0] = 1;
	own[APART] = 2;
	if (pthread_create(&thread, NULL, reader, own))
		err(2, "cannot make a thread");
	before = table_kilobytes();
	for (i = 0; i < 100; i++) {
		map_at(base + i * APART, 1, RW, -1, 0);
		base[i * APART] = i;
	}
	during = table_kilobytes();
	check(during >= before + 100 * 4, "tables of pages far apart");
	for (i = 0; i < 100; i += 2)
		munmap(base + i * APART, PAGE);
	for (i = 1; i < 100; i += 2)
		check(base[i * APART] == i, "what lies between");
	munmap(base, 100 * APART);
	check(table_kilobytes() == before, "munmap() frees tables");
	for (i = 0; i < 100; i++) {
		map_at(base + i * 3 * PAGE, 1, RW, -1, 0);
		base[i * 3 * PAGE] = i;
		if (i)
			munmap(base + (i - 1) * 3 * PAGE, PAGE);
	}
	check(base[99 * 3 * PAGE] == 99, "one page after the other");
	munmap(base, 300 * PAGE);
	check(table_kilobytes() == before, "munmap() frees the last table");
	stop = true;
	pthread_join(thread, &wrong);
	check(!wrong, "another thread's memory meanwhile");
	munmap(own, PAGE);
	munmap(own + APART, PAGE);
}
