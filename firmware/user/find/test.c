/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a test holds for a file. */
#include <dirent.h>
#include <err.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "find.h"

static bool is_empty(const char *path, const struct stat *st)
{
	struct dirent *entry;
	bool empty = true;
	DIR *dir;

	if (!S_ISDIR(st->st_mode))
		return S_ISREG(st->st_mode) && st->st_size == 0;
	dir = opendir(path);
	if (!dir)
		return false;
	while (empty && (entry = readdir(dir)))
		empty = !strcmp(entry->d_name, ".") ||
			!strcmp(entry->d_name, "..");
	closedir(dir);
	return empty;
}

static bool is_type(mode_t mode, char type)
{
	switch (mode & S_IFMT) {
	case S_IFREG: return type == 'f';
	case S_IFDIR: return type == 'd';
	case S_IFLNK: return type == 'l';
	case S_IFCHR: return type == 'c';
	case S_IFBLK: return type == 'b';
	case S_IFIFO: return type == 'p';
	default: return type == 's';
	}
}

static bool has_size(const struct test *test, const struct stat *st)
{
	long units = ((unsigned long)st->st_size + test->unit - 1) / test->unit;

	return test->sign == '+' ? units > test->number :
	       test->sign == '-' ? units < test->number :
				   units == test->number;
}

static bool is_newer(const struct stat *a, const struct stat *b)
{
	return a->st_mtime > b->st_mtime ||
	       (a->st_mtime == b->st_mtime &&
		a->st_mtime_nsec > b->st_mtime_nsec);
}

static bool delete(const char *path, const struct stat *st)
{
	if ((S_ISDIR(st->st_mode) ? rmdir(path) : unlink(path)) == 0)
		return true;
	warn("cannot delete '%s'", path);
	status = 1;
	return false;
}

bool holds(struct test *test, const char *path, const struct stat *st)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash && slash[1] ? slash + 1 : path;

	switch (test->kind) {
	case AND:
		return holds(test->left, path, st) &&
		       holds(test->right, path, st);
	case OR:
		return holds(test->left, path, st) ||
		       holds(test->right, path, st);
	case NOT:
		return !holds(test->left, path, st);
	case NAME:
		return fnmatch(test->text, name, 0) == 0;
	case INAME:
		return fnmatch(test->text, name, FNM_CASEFOLD) == 0;
	case PATH:
		return fnmatch(test->text, path, 0) == 0;
	case TYPE:
		return is_type(st->st_mode, *test->text);
	case SIZE:
		return has_size(test, st);
	case EMPTY:
		return is_empty(path, st);
	case NEWER:
		return is_newer(st, &test->than);
	case EXEC:
		if (!test->many)
			return execute(test, path);
		collect(test, path);
		return true;
	case PRINT:
		puts(path);
		return true;
	case PRINT0:
		fwrite(path, 1, strlen(path) + 1, stdout);
		return true;
	case DELETE:
		return delete(path, st);
	case PRUNE:
		pruned = true;
		return true;
	case QUIT:
		finish();
	default:
		return test->kind == TRUE;
	}
}
