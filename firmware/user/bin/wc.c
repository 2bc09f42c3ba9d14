/* SPDX-License-Identifier: GPL-2.0-only */
/* wc [-lwcmL] [FILE]...: counts lines, words and bytes; the longest line. */
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
	unsigned long longest;
};

static bool lines, words, bytes, longest;

static bool count(int fd, struct counts *counts)
{
	char data[BUFSIZ];
	unsigned long column = 0;
	bool in_word = false;
	ssize_t got;

	while ((got = read(fd, data, sizeof(data))) > 0) {
		counts->bytes += got;
		if (!lines && !words && !longest)
			continue;
		for (ssize_t i = 0; i < got; i++) {
			bool space = isspace((unsigned char)data[i]);

			counts->lines += data[i] == '\n';
			counts->words += !space && !in_word;
			in_word = !space;
			if (data[i] == '\t')
				column = (column / 8 + 1) * 8;
			else
				column += isprint((unsigned char)data[i]) != 0;
			if (column > counts->longest)
				counts->longest = column;
			if (data[i] == '\n')
				column = 0;
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
	if (bytes) {
		printf("%s%*lu", before, width, counts->bytes);
		before = " ";
	}
	if (longest)
		printf("%s%*lu", before, width, counts->longest);
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
	static const struct long_option names[] = {
		{ "lines", 'l' }, { "words", 'w' }, { "bytes", 'c' },
		{ "chars", 'm' }, { "max-line-length", 'L' }, { NULL, 0 }
	};
	struct counts total = { 0, 0, 0, 0 };
	int option, width, status = 0, files;

	while ((option = getopt_long(argc, argv, "lwcmL", names)) >= 0) {
		if (option == '?')
			return 1;
		lines |= option == 'l';
		words |= option == 'w';
		bytes |= option == 'c' || option == 'm';
		longest |= option == 'L';
	}
	if (!lines && !words && !bytes && !longest)
		lines = words = bytes = true;
	files = argc - optind;
	argv += optind;
	width = number_width(files ? argv : standard);
	if (lines + words + bytes + longest == 1 && files <= 1)
		width = 1;
	if (files == 0) {
		if (!count(STDIN_FILENO, &total))
			err(1, "standard input");
		print(&total, width, NULL);
		return 0;
	}
	for (; *argv; argv++) {
		struct counts counts = { 0, 0, 0, 0 };
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
		if (counts.longest > total.longest)
			total.longest = counts.longest;
		if (!input)
			close(fd);
	}
	if (files > 1)
		print(&total, width, "total");
	return status;
}
