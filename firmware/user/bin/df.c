/* SPDX-License-Identifier: GPL-2.0-only */
/* df [-ahikT] [FILE]...: how full file systems are. */
#include <err.h>
#include <files.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#define MOUNTS	"/proc/mounts"
#define COLUMNS	7

struct mount {
	char *source, *folder, *type;
};

static struct mount *mounts;
static size_t nr_mounts;
static bool all, human, inodes, show_type;

/* Rows of text, so that columns can be as wide as they must. */
static char *(*rows)[COLUMNS];
static size_t nr_rows;

/* "\040" in the table stands for a blank. */
static char *unescape(char *text)
{
	char *to = text;

	for (char *from = text; *from; from++) {
		if (from[0] == '\\' && from[1] && from[2] && from[3]) {
			*to++ = (from[1] - '0') << 6 | (from[2] - '0') << 3 |
				(from[3] - '0');
			from += 3;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
	return text;
}

static char *word(char **line)
{
	char *start = *line, *end = strchr(start, ' ');

	if (end)
		*end++ = '\0';
	*line = end ? end : start + strlen(start);
	return xstrdup(unescape(start));
}

static void read_mounts(void)
{
	FILE *f = fopen(MOUNTS, "r");
	char *line = NULL;
	size_t room = 0;

	if (!f)
		err(1, "cannot read table of mounted file systems: %s", MOUNTS);
	while (getline(&line, &room, f) > 0) {
		char *at = line;

		mounts = xrealloc(mounts, (nr_mounts + 1) * sizeof(*mounts));
		mounts[nr_mounts].source = word(&at);
		mounts[nr_mounts].folder = word(&at);
		mounts[nr_mounts++].type = word(&at);
	}
	free(line);
	fclose(f);
}

static char *text_of(unsigned long value)
{
	char text[24];

	snprintf(text, sizeof(text), "%lu", value);
	return xstrdup(text);
}

static char *size_text(unsigned long blocks, unsigned long size)
{
	return human ? xstrdup(human_size(blocks * size)) :
		       text_of((blocks * size + 1023) / 1024);
}

static char *percent(unsigned long used, unsigned long available)
{
	unsigned long total = used + available;
	char text[24];

	if (!total)
		return xstrdup("-");
	snprintf(text, sizeof(text), "%lu%%", (used * 100 + total - 1) / total);
	return xstrdup(text);
}

static char **new_row(void)
{
	rows = xrealloc(rows, (nr_rows + 1) * sizeof(*rows));
	memset(rows[nr_rows], 0, sizeof(*rows));
	return rows[nr_rows++];
}

static void add_header(void)
{
	char **row = new_row();

	row[0] = "Filesystem";
	row[1] = "Type";
	row[2] = inodes ? "Inodes" : human ? "Size" : "1K-blocks";
	row[3] = inodes ? "IUsed" : "Used";
	row[4] = inodes ? "IFree" : human ? "Avail" : "Available";
	row[5] = inodes ? "IUse%" : "Use%";
	row[6] = "Mounted on";
}

static void add(const struct mount *m, const struct statfs *st)
{
	unsigned long used = st->f_blocks - st->f_bfree;
	char **row = new_row();

	row[0] = m->source;
	row[1] = m->type;
	row[6] = m->folder;
	if (inodes) {
		used = st->f_files - st->f_ffree;
		row[2] = text_of(st->f_files);
		row[3] = text_of(used);
		row[4] = text_of(st->f_ffree);
		row[5] = percent(used, st->f_ffree);
	} else {
		row[2] = size_text(st->f_blocks, st->f_bsize);
		row[3] = size_text(used, st->f_bsize);
		row[4] = size_text(st->f_bavail, st->f_bsize);
		row[5] = percent(used, st->f_bavail);
	}
}

static void print_rows(void)
{
	int width[COLUMNS] = { 14 };

	if (!inodes && !human)
		width[3] = 5;
	for (size_t r = 0; r < nr_rows; r++)
		for (int c = 0; c < COLUMNS; c++)
			if ((int)strlen(rows[r][c]) > width[c])
				width[c] = strlen(rows[r][c]);
	for (size_t r = 0; r < nr_rows; r++) {
		printf("%-*s", width[0], rows[r][0]);
		if (show_type)
			printf(" %-*s", width[1], rows[r][1]);
		for (int c = 2; c < 6; c++)
			printf(" %*s", width[c], rows[r][c]);
		printf(" %s\n", rows[r][6]);
	}
}

/* A later mount on the same folder hides an earlier one. */
static bool hidden(size_t at)
{
	for (size_t i = at + 1; i < nr_mounts; i++)
		if (!strcmp(mounts[i].folder, mounts[at].folder))
			return true;
	return false;
}

static void list_all(void)
{
	struct statfs st;

	for (size_t i = 0; i < nr_mounts; i++)
		if (!hidden(i) && statfs(mounts[i].folder, &st) == 0 &&
		    (all || st.f_blocks))
			add(&mounts[i], &st);
}

/* The mount that has the file: the latest one of its device. */
static bool list_file(const char *path)
{
	struct mount unknown = { "-", "-", "-" }, *found = &unknown;
	struct stat file, folder;
	struct statfs st;

	if (stat(path, &file) < 0 || statfs(path, &st) < 0) {
		warn("%s", path);
		return false;
	}
	for (size_t i = 0; i < nr_mounts; i++)
		if (!strcmp(path, mounts[i].source) &&
		    statfs(mounts[i].folder, &st) == 0) {
			found = &mounts[i];	/* a disk: what is on it */
			add(found, &st);
			return true;
		}
	for (size_t i = 0; i < nr_mounts; i++)
		if (stat(mounts[i].folder, &folder) == 0 &&
		    folder.st_dev == file.st_dev && !hidden(i))
			found = &mounts[i];
	add(found, &st);
	return true;
}

int main(int argc, char **argv)
{
	int status = 0, option;

	while ((option = getopt(argc, argv, "ahikT")) != -1) {
		if (option == 'a')
			all = true;
		else if (option == 'h')
			human = true;
		else if (option == 'i')
			inodes = true;
		else if (option == 'T')
			show_type = true;
		else if (option != 'k')
			return 1;
	}
	read_mounts();
	add_header();
	if (optind == argc)
		list_all();
	for (; optind < argc; optind++)
		if (!list_file(argv[optind]))
			status = 1;
	if (nr_rows > 1)
		print_rows();
	return status;
}
