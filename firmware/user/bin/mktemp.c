/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mktemp [-d] [-p FOLDER] [TEMPLATE]: makes a file or folder of which the name's
 * last Xs are a number that no other has.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool make(const char *path, bool folder)
{
	int fd;

	if (folder)
		return mkdir(path, 0700) == 0;
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int main(int argc, char **argv)
{
	static const char symbols[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	const char *folder = NULL, *template = "tmp.XXXXXXXXXX";
	bool directory = false;
	unsigned long number;
	struct timespec now;
	size_t size, xs = 0;
	int option;
	char *path;

	while ((option = getopt(argc, argv, "dp:t")) >= 0) {
		switch (option) {
		case 'd': directory = true; break;
		case 'p': folder = optarg; break;
		case 't': break;
		default: return 1;
		}
	}
	if (optind < argc)
		template = argv[optind];
	else if (!folder)
		folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
	size = strlen(template) + (folder ? strlen(folder) : 0) + 2;
	path = xmalloc(size);
	snprintf(path, size, "%s%s%s", folder ? folder : "", folder ? "/" : "",
		 template);
	size = strlen(path);
	while (xs < size && path[size - xs - 1] == 'X')
		xs++;
	if (xs < 3)
		errx(1, "too few X's in template '%s'", template);
	clock_gettime(CLOCK_MONOTONIC, &now);
	number = now.tv_nsec + now.tv_sec * 1000000007UL + getpid() * 7919UL;
	for (int tries = 0; tries < 1000; tries++, number += 104729) {
		unsigned long left = number * 6364136223846793005UL;

		for (size_t i = 0; i < xs; i++) {
			path[size - xs + i] = symbols[left % 36];
			left = left / 36 ^ number << 20;
		}
		if (make(path, directory)) {
			puts(path);
			return 0;
		}
		if (errno != EEXIST)
			break;
	}
	err(1, "failed to create %s via template '%s'", directory ?
	    "directory" : "file", template);
}
