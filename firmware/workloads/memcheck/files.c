/* SPDX-License-Identifier: GPL-2.0-only */
/* Files and the memory that shows them. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "memcheck.h"

#define RW	(PROT_READ | PROT_WRITE)

static char *map_file(int fd, size_t pages, int flags)
{
	char *p = mmap(NULL, pages * PAGE, RW, flags, fd, 0);

	if (p == MAP_FAILED)
		err(2, "cannot map a file");
	return p;
}

static int temporary(size_t pages)
{
	int fd = open("/memcheck.tmp", O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || ftruncate(fd, pages * PAGE) < 0)
		err(2, "/memcheck.tmp");
	return fd;
}

/* What is cut off is gone for who has mapped it. */
void check_truncated(void)
{
	int fd = temporary(3);
	char *shared = map_file(fd, 3, MAP_SHARED);
	char *private = map_file(fd, 3, MAP_PRIVATE);

	memset(shared, 's', 3 * PAGE);
	private[PAGE] = 'p';
	check(shared[PAGE] == 's' && private[2 * PAGE] == 's', "before");
	ftruncate(fd, PAGE - 100);
	check(child_touches(shared + PAGE, false) == SIGBUS,
	      "a shared page of what was cut off");
	check(child_touches(private + PAGE, false) == SIGBUS,
	      "a private page of what was cut off");
	check(shared[PAGE - 101] == 's' && !shared[PAGE - 100],
	      "the page that was cut");
	ftruncate(fd, 3 * PAGE);
	check(!shared[PAGE] && !private[PAGE], "the file has grown again");
	munmap(shared, 3 * PAGE);
	munmap(private, 3 * PAGE);
	close(fd);
	unlink("/memcheck.tmp");
}

/* write() from memory that is the file itself, or is not all there. */
void check_writes(void)
{
	char *buf = map(2, RW, MAP_PRIVATE), *shared, c[2];
	int fd = temporary(4);

	shared = map_file(fd, 4, MAP_SHARED);
	memset(shared, 'a', PAGE);
	check(pwrite(fd, shared, PAGE, 1) == (ssize_t)PAGE &&
	      shared[PAGE] == 'a', "write() from the page that is written");
	check(pwrite(fd, shared, 2 * PAGE, 2 * PAGE) == 2 * (ssize_t)PAGE &&
	      shared[2 * PAGE] == 'a' && !shared[4 * PAGE - 1],
	      "write() from other pages of the file");
	munmap(buf + PAGE, PAGE);
	memset(buf, 'b', PAGE);
	check(pwrite(fd, buf + PAGE - 4, 8, 0) == 4,
	      "write() from where memory ends");
	check(pread(fd, c, 2, 3) == 2 && c[0] == 'b' && c[1] == 'a',
	      "what is not written stays");
	check(pwrite(fd, buf + PAGE, 8, 0) < 0 && errno == EFAULT,
	      "write() from nothing");
	munmap(buf, PAGE);
	munmap(shared, 4 * PAGE);
	close(fd);
	unlink("/memcheck.tmp");
}

/* One letter after the other, each but the last on the disk at once. */
int store_into(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	volatile char *p;

	if (fd < 0 || ftruncate(fd, 4 * PAGE) < 0)
		err(1, "%s", path);
	p = map_file(fd, 4, MAP_SHARED);
	p[0] = 'A';
	fsync(fd);
	p[1] = 'B';
	p[2 * PAGE] = 'X';
	fsync(fd);
	p[2] = 'C';
	p[2 * PAGE + 1] = 'Y';
	return 0;
}

/* Every page is written, then read, through a mapping. */
int sweep(const char *path, size_t megabytes)
{
	size_t pages = (megabytes << 20) / PAGE, i;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	char *p;

	if (fd < 0 || ftruncate(fd, pages * PAGE) < 0)
		err(1, "%s", path);
	p = map_file(fd, pages, MAP_SHARED);
	for (i = 0; i < pages; i++)
		*(size_t *)(p + i * PAGE + i % 1000 * 8) = i;
	for (i = 0; i < pages; i++)
		check(*(size_t *)(p + i * PAGE + i % 1000 * 8) == i,
		      "a page that was written");
	munmap(p, pages * PAGE);
	close(fd);
	return report();
}
