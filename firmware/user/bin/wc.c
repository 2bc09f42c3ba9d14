/* SPDX-License-Identifier: GPL-2.0-only */
/* wc [-lwcm] [FILE]...: counts lines, words and bytes. */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct counts {
	unsigned long lines;
	unsigned long words;
	unsigned long bytes;
};

static bool lines, words, bytes;

static bool count(int fd, struct counts *counts)
{
	char data[BUFSIZ];
	bool in_word = false;
	ssize_t got;

	while ((got = read(fd, data, sizeof(data))) > 0) {
		counts->bytes += got;
		for (ssize_t i = 0; i < got; i++) {
			bool space = isspace((unsigned char)data[i]);

			counts->lines += data[i] == '\n';
			counts->words += !space && !in_word;
			in_word = !space;
		}
	}
	return got == 0;
}

static void print(const struct counts *counts, int width, const char *name)
{
	const char *before = "";

	if (lines) {
		printf("%*lu", width, counts->lines);
		before = " ";
	}
	if (words) {
		printf("%s%*lu", before, width, counts->words);
		before = " ";
	}
	if (bytes)
		printf("%s%*lu", before, width, counts->bytes);
	printf("%s%s\n", name ? " " : "", name ? name : "");
}

/* As wide as the sizes of all files together; what has no size needs 7. */
static int number_width(char **files)
{
	unsigned long total = 0;
	int width = 1, least = 1;

	for (; *files; files++) {
		struct stat st;

		if (!strcmp(*files, "-") ? fstat(STDIN_FILENO, &st) < 0 :
					   stat(*files, &st) < 0)
			continue;
		if (S_ISREG(st.st_mode))
			total += st.st_size;
		else
			least = 7;
	}
	for (; total >= 10; total /= 10)
		width++;
	return width < least ? least : width;
}

int main(int argc, char **argv)
{
	static char *standard[] = { "-", NULL };
	struct counts total = { 0, 0, 0 };
	int option, width, status = 0, files;

	while ((option = getopt(argc, argv, "lwcm")) >= 0) {
		if (option == '?')
			return 1;
		lines |= option == 'l';
		words |= option == 'w';
		bytes |= option == 'c' || option == 'm';
	}
	if (!lines && !words && !bytes)
		lines = words = bytes = true;
	files = argc - optind;
	argv += optind;
	width = number_width(files ? argv : standard);
	if (lines + words + bytes == 1 && files <= 1)
		width = 1;
	if (files == 0) {
		if (!count(STDIN_FILENO, &total))
			err(1, "standard input");
		print(&total, width, NULL);
		return 0;
	}
	for (; *argv; argv++) {
		struct counts counts = { 0, 0, 0 };
		bool input = !strcmp(*argv, "-");
		int fd = input ? STDIN_FILENO : open(*argv, O_RDONLY);

		if (fd < 0) {
			warn("%s", *argv);
			status = 1;
			continue;
		}
		if (!count(fd, &counts)) {
			warn("%s", *argv);
			status = 1;
		}
		print(&counts, width, *argv);
		total.lines += counts.lines;
		total.words += counts.words;
		total.bytes += counts.bytes;
		if (!input)
			close(fd);
	}
	if (files > 1)
		print(&total, width, "total");
	return status;
}
