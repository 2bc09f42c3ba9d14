/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sysctl [-abeNnqw] [NAME | NAME=VALUE]...: reads and sets the kernel's
 * variables, the files below /proc/sys.
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SYS_DIR		"/proc/sys/"
#define PATH_SIZE	512
#define VALUE_SIZE	4096

static bool all, names_only, values_only, no_newline, ignore_unknown, quiet;
static bool must_write;

/* "kernel.hostname", or "kernel/hostname", to its file. */
static void to_path(char *path, const char *name)
{
	bool dots = strcspn(name, ".") < strcspn(name, "/");
	size_t used = strlen(SYS_DIR);

	if (strlen(name) >= PATH_SIZE - used)
		errx(255, "the name is too long: \"%s\"", name);
	strcpy(path, SYS_DIR);
	for (; *name; name++)
		path[used++] = *name == '.' && dots ? '/' :
			       *name == '/' && dots ? '.' : *name;
	path[used] = '\0';
}

static void to_name(char *name, const char *path)
{
	for (path += strlen(SYS_DIR); *path; path++)
		*name++ = *path == '/' ? '.' : *path == '.' ? '/' : *path;
	*name = '\0';
}

static void print_value(const char *name, char *value)
{
	char *end = value + strlen(value);

	if (end > value && end[-1] == '\n')
		*--end = '\0';
	if (names_only)
		puts(name);
	else if (no_newline)
		fputs(value, stdout);
	else if (values_only)
		puts(value);
	else
		printf("%s = %s\n", name, value);
}

static int unknown(const char *path, const char *name)
{
	if (ignore_unknown && errno == ENOENT)
		return 0;
	if (errno == ENOENT)
		warnx("cannot stat %s: %s", path, strerror(errno));
	else if (errno == EACCES)
		warnx("permission denied on key '%s'", name);
	else
		warnx("reading key \"%s\": %s", name, strerror(errno));
	return -1;
}

static int read_one(const char *path)
{
	char value[VALUE_SIZE], name[PATH_SIZE];
	struct stat st;
	ssize_t n;
	int fd;

	to_name(name, path);
	if (stat(path, &st))
		return unknown(path, name);
	if (!(st.st_mode & 0444))
		return all ? 0 : (errno = EACCES, unknown(path, name));
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return unknown(path, name);
	n = read(fd, value, sizeof(value) - 1);
	close(fd);
	if (n < 0)
		return unknown(path, name);
	value[n] = '\0';
	print_value(name, value);
	return 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Everything below a directory, whose path ends with a slash. */
static int read_dir(const char *dir)
{
	char path[PATH_SIZE], **names = NULL;
	struct dirent *entry;
	size_t count = 0;
	int status = 0;
	DIR *d = opendir(dir);

	if (!d) {
		warn("unable to open directory \"%s\"", dir);
		return -1;
	}
	while ((entry = readdir(d))) {
		if (entry->d_name[0] == '.')
			continue;
		names = xrealloc(names, (count + 1) * sizeof(*names));
		names[count++] = xstrdup(entry->d_name);
	}
	closedir(d);
	if (count)
		qsort(names, count, sizeof(*names), compare);
	for (size_t i = 0; i < count; i++) {
		struct stat st;

		snprintf(path, sizeof(path) - 1, "%s%s", dir, names[i]);
		free(names[i]);
		if (stat(path, &st))
			continue;
		if ((st.st_mode & S_IFMT) == S_IFDIR) {
			strcat(path, "/");
			status |= read_dir(path);
		} else {
			status |= read_one(path);
		}
	}
	free(names);
	return status;
}

static int read_setting(const char *name)
{
	char path[PATH_SIZE];
	struct stat st;

	to_path(path, name);
	if (!stat(path, &st) && (st.st_mode & S_IFMT) == S_IFDIR) {
		if (strlen(path) < sizeof(path) - 1)
			strcat(path, "/");
		return read_dir(path);
	}
	return read_one(path);
}

static int write_setting(const char *setting)
{
	const char *equals = strchr(setting, '=');
	char path[PATH_SIZE], name[PATH_SIZE], value[VALUE_SIZE];
	size_t len = equals - setting;
	int fd, error = 0;

	if (!len || len >= sizeof(name)) {
		warnx("malformed setting \"%s\"", setting);
		return -1;
	}
	memcpy(name, setting, len);
	name[len] = '\0';
	to_path(path, name);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return unknown(path, name);
	snprintf(value, sizeof(value), "%s\n", equals + 1);
	if (write(fd, value, strlen(value)) < 0)
		error = errno;
	close(fd);
	if (error) {
		warnx("setting key \"%s\": %s", name, strerror(error));
		return -1;
	}
	if (!quiet)
		print_value(name, value);
	return 0;
}

int main(int argc, char **argv)
{
	int c, status = 0;

	while ((c = getopt(argc, argv, "AabeNnqwX")) != -1) {
		switch (c) {
		case 'A': case 'a': case 'X': all = true; break;
		case 'b': values_only = no_newline = true; break;
		case 'e': ignore_unknown = true; break;
		case 'N': names_only = true; break;
		case 'n': values_only = true; break;
		case 'q': quiet = true; break;
		case 'w': must_write = true; break;
		default: return 1;
		}
	}
	if (all)
		return read_dir(SYS_DIR) ? 1 : 0;
	if (optind == argc) {
		fputs("usage: sysctl [-abeNnqw] [NAME[=VALUE]]...\n", stderr);
		return 1;
	}
	for (; optind < argc; optind++) {
		const char *arg = argv[optind];

		if (strchr(arg, '='))
			status |= write_setting(arg);
		else if (must_write)
			errx(1, "\"%s\" must be of the form name=value", arg);
		else
			status |= read_setting(arg);
	}
	return status ? 255 : 0;
}
