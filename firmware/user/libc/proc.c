/* SPDX-License-Identifier: GPL-2.0-only */
/* What programs read of /proc that look for processes. */
#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <proc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void read_proc(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = 0;

	text[0] = '\0';
	if (fd < 0)
		return;
	n = read(fd, text, size - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	/* Arguments end with a NUL each. */
	for (ssize_t i = 0; i + 1 < n; i++)
		if (!text[i])
			text[i] = ' ';
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

int all_pids(int **pids)
{
	DIR *d = opendir("/proc");
	struct dirent *entry;
	int count = 0;

	*pids = NULL;
	if (!d)
		err(1, "/proc");
	while ((entry = readdir(d))) {
		long pid = parse_number(entry->d_name);

		if (pid <= 0)
			continue;
		*pids = xrealloc(*pids, (count + 1) * sizeof(**pids));
		(*pids)[count++] = pid;
	}
	closedir(d);
	if (count)
		qsort(*pids, count, sizeof(**pids), compare);
	return count;
}

void process_name(int pid, char name[PROCESS_NAME])
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	read_proc(path, name, PROCESS_NAME);
	name[strcspn(name, "\n")] = '\0';
}
