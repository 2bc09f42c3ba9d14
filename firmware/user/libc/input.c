/* SPDX-License-Identifier: GPL-2.0-only */
/* Files one after another, as one stream or each by itself. */
#include <err.h>
#include <fcntl.h>
#include <input.h>
#include <string.h>
#include <unistd.h>

int input_byte(struct input *input)
{
	for (;;) {
		int c = input->current ? getc(input->current) : EOF;
		const char *name;

		if (c != EOF)
			return c;
		name = *input->files;
		if (!name)
			return EOF;
		input->files++;
		input->current = strcmp(name, "-") ? fopen(name, "r") : stdin;
		if (!input->current) {
			warn("%s", name);
			input->status = 1;
		}
	}
}

int show_files(char **names, bool headlines, bool (*show)(int fd, bool last))
{
	bool first = true;
	int status = 0;

	for (; *names; names++) {
		bool standard = !strcmp(*names, "-");
		int fd = standard ? STDIN_FILENO : open(*names, O_RDONLY);

		if (fd < 0) {
			warn("cannot open '%s' for reading", *names);
			status = 1;
			continue;
		}
		if (headlines)
			printf("%s==> %s <==\n", first ? "" : "\n",
			       standard ? "standard input" : *names);
		first = false;
		if (!show(fd, !names[1])) {
			warn("error reading '%s'", *names);
			status = 1;
		}
		if (!standard)
			close(fd);
	}
	return status;
}
