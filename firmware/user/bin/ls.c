/* SPDX-License-Identifier: GPL-2.0-only */
/* ls [-1AFLRSadhilnprst] [FILE]...: lists files, one a line, sorted by bytes. */
#include <dirent.h>
#include <err.h>
#include <files.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

static bool show_hidden;		/* -a, -A */
static bool hide_dots;			/* -A: not "." and ".." */
static bool show_directories;		/* -d: themselves, not what is in them */
static bool show_details;		/* -l */
static bool show_inodes;		/* -i */
static bool show_numbers;		/* -n: of users and groups */
static bool show_blocks;		/* -s: the KiB that a file takes */
static bool human;			/* -h: sizes as 1.5K */
static bool follow_links;		/* -L: what they lead to */
static bool recursive;			/* -R */
static bool reversed;			/* -r */
static char sorted_by;			/* 't' or 'S' */
static char marked;			/* 'F', or 'p': directories only */
static int status;

struct file_entry {
	char *name;
	char *path;
	struct stat st;
};

struct listing {
	struct file_entry *entries;
	size_t count;
	size_t room;
};

static void cannot_access(const char *path)
{
	warn("cannot access '%s'", path);
	status = 2;
}

static struct file_entry *add(struct listing *list, const char *name,
			      char *path)
{
	struct file_entry *entry;

	if (list->count == list->room) {
		list->room = list->room ? 2 * list->room : 16;
		list->entries = xrealloc(list->entries,
					 list->room * sizeof(*entry));
	}
	entry = &list->entries[list->count++];
	entry->name = xstrdup(name);
	entry->path = path;
	return entry;
}

static void empty(struct listing *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->entries[i].name);
		free(list->entries[i].path);
	}
	free(list->entries);
}

/* The newest or the largest first, and what is alike by its name. */
static int compare(const void *one, const void *other)
{
	const struct file_entry *a = one, *b = other;
	long order = 0;

	if (sorted_by == 't')
		order = b->st.st_mtime - a->st.st_mtime;
	if (sorted_by == 't' && !order)
		order = (long)b->st.st_mtime_nsec - (long)a->st.st_mtime_nsec;
	if (sorted_by == 'S')
		order = b->st.st_size - a->st.st_size;
	if (!order)
		order = strcmp(a->name, b->name);
	order = (order > 0) - (order < 0);
	return reversed ? -order : order;
}

static void sort(struct listing *list)
{
	qsort(list->entries, list->count, sizeof(*list->entries), compare);
}

/* There is no user database: only root has a name. */
static const char *owner(unsigned int id, char *text, size_t size)
{
	snprintf(text, size, "%u", id);
	return id == 0 && !show_numbers ? "root" : text;
}

/* What stands behind a name to tell its kind. */
static const char *mark(mode_t mode)
{
	if (marked && S_ISDIR(mode))
		return "/";
	if (marked != 'F')
		return "";
	if (S_ISLNK(mode))
		return show_details ? "" : "@";
	return S_ISFIFO(mode) ? "|" : S_ISREG(mode) && mode & 0111 ? "*" : "";
}

static void date_text(time_t when, char *text, size_t size)
{
	static const char months[][4] = {
		"Jan", "Feb", "Mar", "Apr", "May", "Jun",
		"Jul", "Aug", "Sep", "Oct", "Nov", "Dec"
	};
	const time_t half_year = 31556952 / 2;
	struct timespec now;
	struct tm tm;
	char clock[8];

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&when, &tm);
	if (when > now.tv_sec - half_year && when <= now.tv_sec)
		snprintf(clock, sizeof(clock), "%02d:%02d", tm.tm_hour,
			 tm.tm_min);
	else
		snprintf(clock, sizeof(clock), "%5d", tm.tm_year + 1900);
	snprintf(text, size, "%s %2d %s", months[tm.tm_mon], tm.tm_mday, clock);
}

static const char *size_text(const struct stat *st, char *text, size_t size)
{
	if (S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode))
		snprintf(text, size, "%u, %u", major(st->st_rdev),
			 minor(st->st_rdev));
	else if (human)
		snprintf(text, size, "%s", human_size(st->st_size));
	else
		snprintf(text, size, "%ld", (long)st->st_size);
	return text;
}

struct widths {
	int inode;
	int blocks;
	int links;
	int user;
	int group;
	int size;
};

static void widen(int *width, const char *text)
{
	int length = strlen(text);

	if (length > *width)
		*width = length;
}

static struct widths measure(const struct listing *list)
{
	struct widths widths = { 0 };
	char text[32];

	for (size_t i = 0; i < list->count; i++) {
		const struct stat *st = &list->entries[i].st;

		snprintf(text, sizeof(text), "%lu", (long)st->st_ino);
		widen(&widths.inode, text);
		snprintf(text, sizeof(text), "%lu", (long)st->st_blocks / 2);
		widen(&widths.blocks, text);
		snprintf(text, sizeof(text), "%lu", (long)st->st_nlink);
		widen(&widths.links, text);
		widen(&widths.user, owner(st->st_uid, text, sizeof(text)));
		widen(&widths.group, owner(st->st_gid, text, sizeof(text)));
		widen(&widths.size, size_text(st, text, sizeof(text)));
	}
	return widths;
}

static void print_details(const struct file_entry *entry,
			  const struct widths *widths)
{
	const struct stat *st = &entry->st;
	char mode[12], user[16], group[16], size[32], date[32];

	strmode(st->st_mode, mode);
	date_text(st->st_mtime, date, sizeof(date));
	printf("%s %*lu %-*s %-*s %*s %s %s%s", mode,
	       widths->links, (long)st->st_nlink,
	       widths->user, owner(st->st_uid, user, sizeof(user)),
	       widths->group, owner(st->st_gid, group, sizeof(group)),
	       widths->size, size_text(st, size, sizeof(size)),
	       date, entry->name, mark(st->st_mode));
	if (S_ISLNK(st->st_mode)) {
		char target[1024];
		ssize_t length = readlink(entry->path, target, sizeof(target));

		if (length >= 0)
			printf(" -> %.*s", (int)length, target);
	}
	fputc('\n', stdout);
}

static void print(struct listing *list)
{
	struct widths widths = measure(list);

	sort(list);
	for (size_t i = 0; i < list->count; i++) {
		const struct file_entry *entry = &list->entries[i];

		if (show_inodes)
			printf("%*lu ", widths.inode, (long)entry->st.st_ino);
		if (show_blocks)
			printf("%*lu ", widths.blocks,
			       (long)entry->st.st_blocks / 2);
		if (show_details)
			print_details(entry, &widths);
		else
			printf("%s%s\n", entry->name, mark(entry->st.st_mode));
	}
}

static void print_total(const struct listing *list)
{
	long blocks = 0;

	for (size_t i = 0; i < list->count; i++)
		blocks += list->entries[i].st.st_blocks;
	if (human)
		printf("total %s\n", human_size(blocks * 512));
	else
		printf("total %ld\n", blocks / 2);
}

static bool is_hidden(const char *name)
{
	if (name[0] != '.' || (show_hidden && !hide_dots))
		return false;
	return !show_hidden || !strcmp(name, ".") || !strcmp(name, "..");
}

/* Whether anything must be known of a file but its name. */
static bool looks_at_files(void)
{
	return show_details || show_inodes || show_blocks || recursive ||
	       sorted_by || marked;
}

/* A link that leads nowhere is itself. */
static bool look_at(const char *path, bool follow, struct stat *st)
{
	return (follow && stat(path, st) == 0) || lstat(path, st) == 0;
}

static void list_directory(const char *path);

/* What is in a directory's directories. */
static void descend(const struct listing *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct file_entry *entry = &list->entries[i];

		if (!S_ISDIR(entry->st.st_mode) || !strcmp(entry->name, ".") ||
		    !strcmp(entry->name, ".."))
			continue;
		printf("\n%s:\n", entry->path);
		list_directory(entry->path);
	}
}

static void list_directory(const char *path)
{
	struct listing list = { NULL, 0, 0 };
	struct dirent *dirent;
	DIR *dir = opendir(path);

	if (!dir) {
		warn("cannot open directory '%s'", path);
		status = 2;
		return;
	}
	while ((dirent = readdir(dir))) {
		struct file_entry *entry;

		if (is_hidden(dirent->d_name))
			continue;
		entry = add(&list, dirent->d_name, path_join(path, dirent->d_name));
		entry->st = (struct stat){ 0 };
		if (looks_at_files() && !look_at(entry->path, follow_links,
						 &entry->st)) {
			cannot_access(entry->path);
			free(entry->name);
			free(entry->path);
			list.count--;
		}
	}
	if (errno) {
		warn("reading directory '%s'", path);
		status = 2;
	}
	closedir(dir);
	if (show_details || show_blocks)
		print_total(&list);
	print(&list);
	if (recursive)
		descend(&list);
	empty(&list);
}

#define COLOR	1			/* has no letter */

static const struct long_option names[] = {
	{ "all", 'a' }, { "almost-all", 'A' }, { "directory", 'd' },
	{ "inode", 'i' }, { "numeric-uid-gid", 'n' }, { "recursive", 'R' },
	{ "reverse", 'r' }, { "classify", 'F' }, { "human-readable", 'h' },
	{ "dereference", 'L' }, { "color", COLOR }, { NULL, 0 }
};

static void set_option(int option)
{
	switch (option) {
	case '1':
		break;
	case 'a':
	case 'A':
		show_hidden = true;
		hide_dots = option == 'A';
		break;
	case 'd':
		show_directories = true;
		break;
	case 'h':
		human = true;
		break;
	case 'i':
		show_inodes = true;
		break;
	case 's':
		show_blocks = true;
		break;
	case 'L':
		follow_links = true;
		break;
	case 'l':
	case 'n':
		show_details = true;
		show_numbers |= option == 'n';
		break;
	case 'R':
		recursive = true;
		break;
	case 'r':
		reversed = true;
		break;
	case 't':
	case 'S':
		sorted_by = option;
		break;
	case 'F':
	case 'p':
		marked = option;
		break;
	case COLOR:
		if (optarg && strcmp(optarg, "auto") && strcmp(optarg, "never"))
			errx(2, "no colors: --color=%s", optarg);
		break;
	default:
		exit(2);
	}
}

/* Sorts an operand into files or directories. */
static void add_operand(const char *name, struct listing *files,
			struct listing *directories)
{
	struct stat st;
	bool follow = follow_links || (!show_details && !show_directories);
	struct listing *list = files;

	if (!look_at(name, follow, &st)) {
		cannot_access(name);
		return;
	}
	if (S_ISDIR(st.st_mode) && !show_directories)
		list = directories;
	add(list, name, xstrdup(name))->st = st;
}

int main(int argc, char **argv)
{
	struct listing files = { NULL, 0, 0 };
	struct listing directories = { NULL, 0, 0 };
	int option;

	while ((option = getopt_long(argc, argv, "1aAdFhiLlnpRrstS\1::",
				     names)) >= 0)
		set_option(option);
	if (optind == argc)
		add_operand(".", &files, &directories);
	for (int operand = optind; operand < argc; operand++)
		add_operand(argv[operand], &files, &directories);

	print(&files);
	sort(&directories);
	for (size_t d = 0; d < directories.count; d++) {
		if (argc - optind > 1 || recursive)
			printf("%s%s:\n", d || files.count ? "\n" : "",
			       directories.entries[d].name);
		list_directory(directories.entries[d].path);
	}
	return status;
}
