/* SPDX-License-Identifier: GPL-2.0-only */
/* cat [FILE]...: copies the files, - or none being standard input. */
#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Copying a file to its own end would never come to one. */
static bool is_output(int fd)
{
	struct stat in, out;

	return fstat(fd, &in) == 0 && fstat(STDOUT_FILENO, &out) == 0 &&
	       S_ISREG(in.st_mode) && in.st_dev == out.st_dev &&
	       in.st_ino == out.st_ino &&
	       lseek(fd, 0, SEEK_CUR) < in.st_size;
}

/* Not buffered: what a slow pipe or the console gives is passed on at once. */
static bool copy(int fd, const char *name)
{
	static char buffer[8192];
	ssize_t got;

	if (is_output(fd)) {
		warnx("%s: input file is output file", name);
		return false;
	}
	while ((got = read(fd, buffer, sizeof(buffer))) > 0)
		if (write_all(STDOUT_FILENO, buffer, got) < 0)
			err(1, "write error");
	if (got < 0)
		warn("%s", name);
	return got == 0;
}

static bool copy_file(const char *name)
{
	bool copied;
	int fd;

	if (!strcmp(name, "-"))
		return copy(STDIN_FILENO, name);
	fd = open(name, O_RDONLY);
	if (fd < 0) {
		warn("%s", name);
		return false;
	}
	copied = copy(fd, name);
	close(fd);
	return copied;
}

int main(int argc, char **argv)
{
	bool all = true;

	if (argc < 2)
		return !copy_file("-");
	for (int i = 1; i < argc; i++)
		all &= copy_file(argv[i]);
	return !all;
}
