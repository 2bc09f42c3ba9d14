/* SPDX-License-Identifier: GPL-2.0-only */
/* du [-abchks] [FILE]...: how much room files take, in KiB. */
#include <err.h>
#include <files.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool show_files, bytes, human, grand_total, summary;
static int status;

/* Files with several names count once. */
static struct seen {
	dev_t dev;
	unsigned long ino;
} *seen;
static size_t nr_seen;

static bool is_new(const struct stat *st)
{
	if (st->st_nlink < 2 || S_ISDIR(st->st_mode))
		return true;
	for (size_t i = 0; i < nr_seen; i++)
		if (seen[i].dev == st->st_dev && seen[i].ino == st->st_ino)
			return false;
	seen = xrealloc(seen, (nr_seen + 1) * sizeof(*seen));
	seen[nr_seen++] = (struct seen){ st->st_dev, st->st_ino };
	return true;
}

static void show(unsigned long size, const char *path)
{
	if (human)
		printf("%s\t%s\n", human_size(size), path);
	else
		printf("%lu\t%s\n", bytes ? size : (size + 1023) / 1024, path);
}

static unsigned long size_of(const char *path, bool named)
{
	unsigned long size;
	struct stat st;
	char **names;

	if (lstat(path, &st) < 0) {
		warn("cannot access '%s'", path);
		status = 1;
		return 0;
	}
	if (!is_new(&st))
		return 0;
	size = bytes ? (unsigned long)st.st_size : st.st_blocks * 512ul;
	if (S_ISDIR(st.st_mode)) {
		names = list_folder(path);
		if (!names) {
			warn("cannot read directory '%s'", path);
			status = 1;
		}
		for (char **name = names; name && *name; name++) {
			char *child = path_join(path, *name);

			size += size_of(child, false);
			free(child);
		}
		if (names)
			free_list(names);
		if (!summary && !named)
			show(size, path);
	} else if (show_files && !named) {
		show(size, path);
	}
	if (named)
		show(size, path);
	return size;
}

int main(int argc, char **argv)
{
	static char *const here[] = { ".", NULL };
	unsigned long total = 0;
	char *const *path;
	int option;

	while ((option = getopt(argc, argv, "abchks")) != -1) {
		if (option == 'a')
			show_files = true;
		else if (option == 'b')
			bytes = true;
		else if (option == 'c')
			grand_total = true;
		else if (option == 'h')
			human = true;
		else if (option == 's')
			summary = true;
		else if (option != 'k')
			return 1;
	}
	if (summary && show_files)
		errx(1, "cannot both summarize and show all entries");
	for (path = optind < argc ? argv + optind : here; *path; path++)
		total += size_of(*path, true);
	if (grand_total)
		show(total, "total");
	return status;
}
