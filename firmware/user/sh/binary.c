/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that are no scripts. */
#include <errno.h>
#include <exec.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <linux/elf.h>

#include "shell.h"

/* What of a file's beginning shows whether it is text. */
#define SAMPLE_SIZE	256

const char *binary_error(int fd)
{
	char sample[SAMPLE_SIZE] = "";
	const char *error;
	struct stat st;
	ssize_t got;
	char *end;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	got = pread(fd, sample, sizeof(sample), 0);
	if (got < 0)
		return NULL;
	if (!memcmp(sample, ELFMAG, SELFMAG))
		return (error = elf_error(fd)) ? error : strerror(ENOEXEC);
	end = memchr(sample, '\n', got);
	if (memchr(sample, '\0', end ? end - sample : got))
		return strerror(ENOEXEC);
	return NULL;
}
