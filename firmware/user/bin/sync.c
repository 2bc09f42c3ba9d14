/* SPDX-License-Identifier: GPL-2.0-only */
/* sync [FILE...]: has everything, or files, written to where it is stored. */
#include <err.h>
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int status = 0;

	if (argc < 2)
		sync();
	for (int i = 1; i < argc; i++) {
		int fd = open(argv[i], O_RDONLY | O_NONBLOCK);

		if (fd < 0) {
			warn("error opening '%s'", argv[i]);
			status = 1;
			continue;
		}
		if (fsync(fd) < 0) {
			warn("error syncing '%s'", argv[i]);
			status = 1;
		}
		close(fd);
	}
	return status;
}
