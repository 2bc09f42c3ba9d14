/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fswalk [-w] DIRECTORY: looks at all that is in a tree; with -w it goes over
 * it again and changes it in every way, whatever fails, and has that written.
 * It is for file systems that may be broken: how much it does has bounds, and
 * a file of several names is looked at once. Prints what it has seen.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <files.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST_FILES	60
#define MOST_DEPTH	6
#define PIECE		5000

static bool change;			/* on this way through the tree */
static int files, errors;
static unsigned long seen[MOST_FILES];
static char data[PIECE];

static void note(long result)
{
	if (result < 0)
		errors++;
}

static void read_pieces(int fd, off_t size)
{
	note(pread(fd, data, PIECE, 0));
	note(pread(fd, data, PIECE, size / 2));
	if (size > PIECE)
		note(pread(fd, data, PIECE, size - PIECE));
}

/* Also at places that need tables of one to three levels. */
static void write_pieces(int fd, off_t size)
{
	static const off_t places[] = { 0, 20 << 10, 600 << 10, 80l << 20 };

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		note(pwrite(fd, data, 700, places[i]));
	note(pwrite(fd, data, 3000, size));
	note(ftruncate(fd, 13 << 10));
	note(fsync(fd));
}

static void look_at_file(const char *path, off_t size)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK);

	note(fd);
	if (fd < 0)
		return;
	read_pieces(fd, size);
	close(fd);
	if (!change)
		return;
	fd = open(path, O_WRONLY);
	note(fd);
	if (fd < 0)
		return;
	write_pieces(fd, size);
	close(fd);
}

static void make_things(const char *folder)
{
	char *a = path_join(folder, "fswalk-a"), *b = path_join(folder, "fswalk-b");
	char *long_name = path_join(folder, "a-name-that-is-so-long-that-it-needs-much-room");
	int fd = open(a, O_WRONLY | O_CREAT, 0644);

	note(fd);
	if (fd >= 0) {
		note(write(fd, data, PIECE));
		close(fd);
	}
	note(link(a, b));
	note(rename(a, long_name));
	note(symlink("short", a));
	note(unlink(a));
	memset(data, 'x', 300);
	data[300] = '\0';
	note(symlink(data, a));
	note(unlink(a));
	note(mkdir(a, 0755));
	note(rename(b, a));
	note(rmdir(a));
	note(unlink(b));
	note(mknod(b, S_IFCHR | 0600, 0x103));
	note(chmod(b, 0444));
	note(rename(b, long_name));
	free(a);
	free(b);
	free(long_name);
}

/* Whether a file is to be looked at. */
static bool is_new(const struct stat *st)
{
	if (files == MOST_FILES)
		return false;
	for (int i = 0; i < files; i++)
		if (seen[i] == st->st_ino)
			return false;
	seen[files++] = st->st_ino;
	return true;
}

static void look_at(const char *path, int depth)
{
	struct stat st;
	char **names;

	if (lstat(path, &st) < 0) {
		errors++;
		return;
	}
	if (!is_new(&st))
		return;
	if (S_ISLNK(st.st_mode))
		note(readlink(path, data, sizeof(data)));
	if (S_ISREG(st.st_mode))
		look_at_file(path, st.st_size);
	if (!S_ISDIR(st.st_mode) || depth == MOST_DEPTH)
		return;
	names = list_folder(path);
	if (!names) {
		errors++;
		return;
	}
	for (char **name = names; *name; name++) {
		char *child = path_join(path, *name);

		look_at(child, depth + 1);
		free(child);
	}
	if (change)
		make_things(path);
	for (char **name = names; change && depth && *name; name++) {
		char *child = path_join(path, *name);

		if (unlink(child) < 0 && errno == EISDIR)
			note(rmdir(child));
		free(child);
	}
	free_list(names);
}

static void walk(const char *folder)
{
	files = errors = 0;
	look_at(folder, 0);
	printf("%d files, %d errors\n", files, errors);
}

int main(int argc, char **argv)
{
	bool write = false;
	int option;

	while ((option = getopt(argc, argv, "w")) != -1) {
		if (option != 'w')
			return 1;
		write = true;
	}
	if (argc - optind != 1)
		errx(1, "missing operand");
	walk(argv[optind]);
	if (write) {
		change = true;
		walk(argv[optind]);
		sync();
	}
	return 0;
}
