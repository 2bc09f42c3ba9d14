/* SPDX-License-Identifier: GPL-2.0-only */
/* Directories, a buffer of getdents64() entries at a time. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <syscall.h>
#include <unistd.h>

struct dir {
	int fd;
	int position;
	int length;
	char buffer[2048] __attribute__((aligned(8)));
};

DIR *opendir(const char *path)
{
	DIR *dir = malloc(sizeof(*dir));

	if (!dir)
		return NULL;
	dir->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir->fd < 0) {
		free(dir);
		return NULL;
	}
	dir->position = 0;
	dir->length = 0;
	return dir;
}

struct dirent *readdir(DIR *dir)
{
	struct dirent *entry;

	if (dir->position >= dir->length) {
		long length = arch_syscall(SYS_getdents64, dir->fd,
					   (long)dir->buffer,
					   sizeof(dir->buffer), 0);

		errno = length < 0 ? -length : 0;
		if (length <= 0)
			return NULL;
		dir->length = length;
		dir->position = 0;
	}
	entry = (struct dirent *)(dir->buffer + dir->position);
	dir->position += entry->d_reclen;
	return entry;
}

int closedir(DIR *dir)
{
	int result = close(dir->fd);

	free(dir);
	return result;
}
