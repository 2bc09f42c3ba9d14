/* SPDX-License-Identifier: GPL-2.0-only */
/* touch [-acm] [-d @SECONDS] [-r FILE] FILE...: sets times, makes files. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct timespec times[2] = {
	{ .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_NOW },
};
static bool no_create;

static void take_times(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		err(1, "failed to get attributes of '%s'", path);
	times[0] = (struct timespec){ st.st_atime, st.st_atime_nsec };
	times[1] = (struct timespec){ st.st_mtime, st.st_mtime_nsec };
}

static void take_date(const char *text)
{
	char *end;
	long seconds;

	errno = 0;
	seconds = *text == '@' ? strtol(text + 1, &end, 10) : 0;
	if (*text != '@' || end == text + 1 || *end || errno)
		errx(1, "invalid date format '%s'", text);
	times[0] = times[1] = (struct timespec){ .tv_sec = seconds };
}

static bool touch(const char *path)
{
	int fd;

	if (utimensat(AT_FDCWD, path, times, 0) == 0)
		return true;
	if (errno == ENOENT && no_create)
		return true;
	if (errno == ENOENT) {
		fd = open(path, O_WRONLY | O_CREAT, 0666);
		if (fd >= 0) {
			close(fd);
			if (utimensat(AT_FDCWD, path, times, 0) == 0)
				return true;
		}
	}
	warn("cannot touch '%s'", path);
	return false;
}

int main(int argc, char **argv)
{
	bool access = false, change = false;
	int status = 0, option;

	while ((option = getopt(argc, argv, "acd:mr:")) != -1) {
		if (option == 'a')
			access = true;
		else if (option == 'c')
			no_create = true;
		else if (option == 'd')
			take_date(optarg);
		else if (option == 'm')
			change = true;
		else if (option == 'r')
			take_times(optarg);
		else
			return 1;
	}
	if (optind == argc)
		errx(1, "missing file operand");
	if (change && !access)
		times[0].tv_nsec = UTIME_OMIT;
	if (access && !change)
		times[1].tv_nsec = UTIME_OMIT;
	for (; optind < argc; optind++)
		if (!touch(argv[optind]))
			status = 1;
	return status;
}
