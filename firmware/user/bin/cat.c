/* SPDX-License-Identifier: GPL-2.0-only */
/* cat [-AbeEnstTuv] [FILE]...: copies the files, - or none being standard input; with options, so that all can be seen. */
#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
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

static struct {
	bool numbers, full_only, squeeze, ends, tabs, controls;
} show;

static bool plain(void)
{
	return !show.numbers && !show.squeeze && !show.ends && !show.tabs &&
	       !show.controls;
}

/* As M-^X, with what is not seen in place. */
static void put_visibly(unsigned char c)
{
	if (c >= 0x80) {
		fputs("M-", stdout);
		c -= 0x80;
	}
	if (c < ' ' || c == 0x7f)
		printf("^%c", c ^ 0x40);
	else
		putchar(c);
}

/* Lines go on from one file into the next. */
static void put(char c)
{
	static unsigned long line;
	static int empty;
	static bool middle;

	if (!middle) {
		empty = c == '\n' ? empty + 1 : 0;
		if (show.squeeze && empty > 1)
			return;
		if (show.numbers && !(show.full_only && c == '\n'))
			printf("%6lu\t", ++line);
	}
	middle = c != '\n';
	if (c == '\n')
		fputs(show.ends ? "$\n" : "\n", stdout);
	else if (c == '\t' ? show.tabs : show.controls)
		put_visibly(c);
	else
		putchar(c);
}

static void write_out(const char *data, size_t size)
{
	if (plain()) {
		if (write_all(STDOUT_FILENO, data, size) < 0)
			err(1, "write error");
		return;
	}
	while (size--)
		put(*data++);
	if (fflush(stdout) == EOF)
		err(1, "write error");
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
		write_out(buffer, got);
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
	static const struct long_option names[] = {
		{ "show-all", 'A' }, { "number-nonblank", 'b' },
		{ "show-ends", 'E' }, { "number", 'n' },
		{ "squeeze-blank", 's' }, { "show-tabs", 'T' },
		{ "show-nonprinting", 'v' }, { NULL, 0 }
	};
	bool all = true;
	int option;

	while ((option = getopt_long(argc, argv, "AbeEnstTuv", names)) != -1) {
		if (option == '?')
			return 1;
		show.full_only |= option == 'b';
		show.numbers |= option == 'n' || option == 'b';
		show.squeeze |= option == 's';
		show.ends |= strchr("AeE", option) != NULL;
		show.tabs |= strchr("AtT", option) != NULL;
		show.controls |= strchr("Aetv", option) != NULL;
	}
	if (optind == argc)
		return !copy_file("-");
	for (int i = optind; i < argc; i++)
		all &= copy_file(argv[i]);
	return !all;
}
