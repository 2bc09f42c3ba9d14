/* SPDX-License-Identifier: GPL-2.0-only */
/* Copying files and trees, for cp and mv. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <files.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The mode comes last: changing the owner may change it. */
static void preserve(const char *to, const struct stat *st)
{
	struct timespec times[2] = {
		{ st->st_atime, st->st_atime_nsec },
		{ st->st_mtime, st->st_mtime_nsec },
	};

	if (lchown(to, st->st_uid, st->st_gid) < 0 && errno != EPERM)
		warn("failed to preserve ownership for '%s'", to);
	if (utimensat(AT_FDCWD, to, times, AT_SYMLINK_NOFOLLOW) < 0)
		warn("preserving times for '%s'", to);
	if (!S_ISLNK(st->st_mode) && chmod(to, st->st_mode & 07777) < 0)
		warn("preserving permissions for '%s'", to);
}

/* -1 after a message. What a link leads to is not made. */
static int open_target(const char *path, mode_t mode, bool force)
{
	int fd = open(path, O_WRONLY | O_TRUNC);

	if (fd < 0 && (errno == ENOENT || (force && unlink(path) == 0)))
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL, mode);
	if (fd < 0 && errno == EEXIST)
		warnx("not writing through dangling symlink '%s'", path);
	else if (fd < 0)
		warn("cannot create regular file '%s'", path);
	return fd;
}

static bool copy_regular(const char *from, const char *to,
			 const struct stat *st, const struct copy_how *how)
{
	int in = open(from, O_RDONLY), out;
	bool copied;

	if (in < 0) {
		warn("cannot open '%s' for reading", from);
		return false;
	}
	out = open_target(to, st->st_mode & 0777, how->force);
	if (out < 0) {
		close(in);
		return false;
	}
	copied = copy_data(in, out) == 0;
	if (!copied)
		warn("error copying '%s' to '%s'", from, to);
	close(in);
	if (close(out) < 0 && copied) {
		warn("failed to close '%s'", to);
		copied = false;
	}
	return copied;
}

static bool copy_link(const char *from, const char *to)
{
	char text[4096];
	ssize_t length = readlink(from, text, sizeof(text) - 1);

	if (length < 0) {
		warn("cannot read symbolic link '%s'", from);
		return false;
	}
	text[length] = '\0';
	if (symlink(text, to) < 0 &&
	    (errno != EEXIST || unlink(to) < 0 || symlink(text, to) < 0)) {
		warn("cannot create symbolic link '%s'", to);
		return false;
	}
	return true;
}

static bool copy_folder(const char *from, const char *to,
			const struct stat *st, const struct copy_how *how)
{
	char **names;
	struct stat existing;
	bool made, copied = true;

	made = mkdir(to, (st->st_mode & 0777) | 0700) == 0;
	if (!made && (errno != EEXIST || stat(to, &existing) < 0 ||
		      !S_ISDIR(existing.st_mode))) {
		warn("cannot create directory '%s'", to);
		return false;
	}
	names = list_folder(from);
	if (!names) {
		warn("cannot access '%s'", from);
		return false;
	}
	for (char **name = names; *name; name++) {
		char *a = path_join(from, *name), *b = path_join(to, *name);

		copied &= copy_file(a, b, how);
		free(a);
		free(b);
	}
	free_list(names);
	return copied;
}

static bool copy_by_type(const char *from, const char *to,
			 const struct stat *st, const struct copy_how *how)
{
	switch (st->st_mode & S_IFMT) {
	case S_IFREG:
		return copy_regular(from, to, st, how);
	case S_IFDIR:
		return copy_folder(from, to, st, how);
	case S_IFLNK:
		return copy_link(from, to);
	default:
		/* Without -r a device is read, as cat would. */
		if (!how->recursive)
			return copy_regular(from, to, st, how);
		if (mknod(to, st->st_mode, st->st_rdev) < 0) {
			warn("cannot create special file '%s'", to);
			return false;
		}
		return true;
	}
}

/* Whether @path is the folder itself or below it. */
static bool is_below(const char *path, const struct stat *folder)
{
	char *at = xstrdup(path), *slash;
	bool below = false;
	struct stat st;

	while (!below) {
		slash = strrchr(at, '/');
		if (!slash) {
			below = stat(".", &st) == 0 &&
				st.st_dev == folder->st_dev &&
				st.st_ino == folder->st_ino;
			break;
		}
		*slash = '\0';
		if (!*at)
			break;
		below = stat(at, &st) == 0 && st.st_dev == folder->st_dev &&
			st.st_ino == folder->st_ino;
	}
	free(at);
	return below;
}

bool copy_file(const char *from, const char *to, const struct copy_how *how)
{
	struct stat st, existing;

	if ((how->follow ? stat : lstat)(from, &st) < 0) {
		warn("cannot stat '%s'", from);
		return false;
	}
	if (S_ISDIR(st.st_mode) && !how->recursive) {
		warnx("-r not specified; omitting directory '%s'", from);
		return false;
	}
	if (lstat(to, &existing) == 0) {
		if (S_ISLNK(existing.st_mode) && !S_ISLNK(st.st_mode))
			stat(to, &existing);
		if (existing.st_dev == st.st_dev &&
		    existing.st_ino == st.st_ino) {
			warnx("'%s' and '%s' are the same file", from, to);
			return false;
		}
		if (S_ISDIR(existing.st_mode) && !S_ISDIR(st.st_mode)) {
			warnx("cannot overwrite directory '%s' with non-directory",
			      to);
			return false;
		}
		if (!S_ISDIR(existing.st_mode) && S_ISDIR(st.st_mode)) {
			warnx("cannot overwrite non-directory '%s' with directory '%s'",
			      to, from);
			return false;
		}
	}
	if (S_ISDIR(st.st_mode) && is_below(to, &st)) {
		warnx("cannot %s a directory, '%s', into itself, '%s'",
		      how->verb, from, to);
		return false;
	}
	if (how->verbose)
		printf("'%s' -> '%s'\n", from, to);
	if (!copy_by_type(from, to, &st, how))
		return false;
	if (how->preserve)
		preserve(to, &st);
	return true;
}
