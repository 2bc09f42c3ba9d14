/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a path leads to, without links and dots. */
#include <errno.h>
#include <files.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_LINKS	40

/* What a link says, and after it what is still to be followed. */
static char *follow(const char *path, const char *rest)
{
	char *target = xmalloc(PATH_MAX + strlen(rest) + 1);
	ssize_t length = readlink(path, target, PATH_MAX);

	if (length < 0) {
		free(target);
		return NULL;
	}
	strcpy(target + length, rest);
	return target;
}

static void leave(char *place)
{
	char *slash = strrchr(place, '/');

	*slash = '\0';
}

/* Goes on from a place, "" at the root; takes rest. */
static bool walk(char *place, char *rest, bool must_exist)
{
	int links = 0;
	bool done = false;

	for (;;) {
		size_t slashes = strspn(rest, "/"), length = strlen(place);
		size_t name = strcspn(rest + slashes, "/");
		const char *after = rest + slashes + name;
		struct stat st;

		if (!name) {
			done = true;
			break;
		}
		errno = ENAMETOOLONG;
		if (length + name + 2 > PATH_MAX)
			break;
		place[length] = '/';
		memcpy(place + length + 1, rest + slashes, name);
		place[length + 1 + name] = '\0';
		if (!strcmp(place + length, "/.") ||
		    !strcmp(place + length, "/..")) {
			leave(place);
			if (name == 2 && *place)
				leave(place);
		} else if (lstat(place, &st) < 0) {
			done = errno == ENOENT && !must_exist &&
			       !after[strspn(after, "/")];
			break;
		} else if (S_ISLNK(st.st_mode)) {
			char *next;

			errno = ELOOP;
			if (++links > MAX_LINKS)
				break;
			next = follow(place, after);
			leave(place);
			if (!next)
				break;
			if (*next == '/')
				*place = '\0';
			free(rest);
			rest = next;
			continue;
		} else if (*after && !S_ISDIR(st.st_mode)) {
			errno = ENOTDIR;
			break;
		}
		memmove(rest, after, strlen(after) + 1);
	}
	free(rest);
	return done;
}

char *resolve_path(const char *path, bool must_exist)
{
	char *place = xmalloc(PATH_MAX + 1);

	*place = '\0';
	errno = ENOENT;
	if (*path && (*path == '/' || getcwd(place, PATH_MAX))) {
		if (!strcmp(place, "/"))
			*place = '\0';
		if (walk(place, xstrdup(path), must_exist)) {
			if (!*place)
				strcpy(place, "/");
			return place;
		}
	}
	free(place);
	return NULL;
}
