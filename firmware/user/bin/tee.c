/* SPDX-License-Identifier: GPL-2.0-only */
/* tee [-a] [FILE]...: copies its input to its output and the files. */
#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int how = O_TRUNC, option, status = 0, count = 0;
	char data[BUFSIZ];
	ssize_t got;
	int *fds;

	while ((option = getopt(argc, argv, "ai")) >= 0) {
		if (option == '?')
			return 1;
		if (option == 'a')
			how = O_APPEND;
	}
	fds = xmalloc((argc - optind + 1) * sizeof(*fds));
	for (; optind < argc; optind++) {
		fds[count] = open(argv[optind], O_WRONLY | O_CREAT | how, 0666);
		if (fds[count] >= 0) {
			count++;
			continue;
		}
		warn("%s", argv[optind]);
		status = 1;
	}
	while ((got = read(STDIN_FILENO, data, sizeof(data))) > 0) {
		if (write_all(STDOUT_FILENO, data, got) < 0)
			err(1, "standard output");
		for (int i = 0; i < count; i++) {
			if (fds[i] < 0 || write_all(fds[i], data, got) == 0)
				continue;
			warn("write error");
			status = 1;
			fds[i] = -1;
		}
	}
	if (got < 0)
		err(1, "read error");
	return status;
}
