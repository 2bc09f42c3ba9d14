/* SPDX-License-Identifier: GPL-2.0-only */
/* Paths, and the names in folders. */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <files.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *path_join(const char *directory, const char *name)
{
	size_t length = strlen(directory);
	size_t size = length + strlen(name) + 2;
	char *path = xmalloc(size);
	bool slash = length > 0 && directory[length - 1] == '/';

	snprintf(path, size, "%s%s%s", directory, slash ? "" : "/", name);
	return path;
}

char *path_name(const char *path)
{
	size_t end = strlen(path), start;
	char *name;

	while (end > 1 && path[end - 1] == '/')
		end--;
	start = end;
	while (start > 0 && path[start - 1] != '/')
		start--;
	if (start == end)	/* "/" */
		start = 0;
	name = xmalloc(end - start + 1);
	memcpy(name, path + start, end - start);
	name[end - start] = '\0';
	return name;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **list_folder(const char *path)
{
	size_t count = 0, room = 16;
	struct dirent *entry;
	DIR *dir = opendir(path);
	char **names;

	if (!dir)
		return NULL;
	names = xmalloc(room * sizeof(*names));
	while (errno = 0, (entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (count + 1 == room) {
			room *= 2;
			names = xrealloc(names, room * sizeof(*names));
		}
		names[count++] = xstrdup(entry->d_name);
	}
	names[count] = NULL;
	if (errno) {
		int error = errno;

		free_list(names);
		closedir(dir);
		errno = error;
		return NULL;
	}
	closedir(dir);
	qsort(names, count, sizeof(*names), by_name);
	return names;
}

void free_list(char **names)
{
	for (char **name = names; *name; name++)
		free(*name);
	free(names);
}

bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

const char *take_target(int *argc, char **argv, int first)
{
	if (first == *argc)
		errx(1, "missing file operand");
	if (first + 1 == *argc)
		errx(1, "missing destination file operand after '%s'",
		     argv[first]);
	return argv[--*argc];
}

int to_target(char **sources, int count, const char *target, bool into,
	      bool (*act)(const char *source, const char *path))
{
	int status = 0;

	if (!into && count > 1) {
		errno = access(target, F_OK) < 0 ? errno : ENOTDIR;
		err(1, "target '%s'", target);
	}
	for (int i = 0; i < count; i++) {
		char *name = into ? path_name(sources[i]) : NULL;
		char *path = into ? path_join(target, name) : xstrdup(target);

		if (!act(sources[i], path))
			status = 1;
		free(name);
		free(path);
	}
	return status;
}

int copy_data(int from, int to)
{
	static char buffer[16384];
	ssize_t got;

	while ((got = read(from, buffer, sizeof(buffer))) > 0)
		if (write_all(to, buffer, got) < 0)
			return -1;
	return got;
}
