/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs by their name. */
#include <err.h>
#include <errno.h>
#include <exec.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What execvp() has found last but could not run. */
static char found[PATH_MAX];

/* Keeps errno. */
static bool is_script(const char *path)
{
	char interpreter[PATH_MAX];
	int error = errno, fd = open(path, O_RDONLY | O_CLOEXEC);
	bool is = fd >= 0 && script_interpreter(fd, interpreter);

	if (fd >= 0)
		close(fd);
	errno = error;
	return is;
}

/*
 * A text that names no interpreter is sh's to execute; of a binary, sh says why
 * nobody can.
 */
static void execute(const char *path, char *const argv[])
{
	size_t count = 0;
	char **words;
	int error;

	execve(path, argv, environ);
	error = errno;
	if (access(path, F_OK) == 0)
		snprintf(found, sizeof(found), "%s", path);
	errno = error;
	if (error != ENOEXEC || is_script(path))
		return;
	while (argv[count])
		count++;
	words = calloc(count + 3, sizeof(*words));
	if (!words)
		return;
	words[0] = (char *)"sh";
	words[1] = (char *)path;
	memcpy(words + 2, argv + 1, count * sizeof(*words));
	execve("/bin/sh", words, environ);
	free(words);
}

/* errno says why it comes back; what it found but could not run comes first. */
int execvp(const char *name, char *const argv[])
{
	const char *path = getenv("PATH");
	char candidate[PATH_MAX];
	int error = ENOENT;

	found[0] = '\0';
	if (!*name) {
		errno = ENOENT;
		return -1;
	}
	if (strchr(name, '/')) {
		execute(name, argv);
		return -1;
	}
	if (!path)
		path = "/bin";
	for (;;) {
		int length = strcspn(path, ":");

		if (snprintf(candidate, sizeof(candidate), "%.*s/%s",
			     length ? length : 1, length ? path : ".",
			     name) < (int)sizeof(candidate))
			execute(candidate, argv);
		else
			errno = ENAMETOOLONG;
		if (errno != ENOENT && errno != ENOTDIR)
			error = errno;
		if (!path[length])
			break;
		path += length + 1;
	}
	errno = error;
	return -1;
}

void exec_or_exit(char *const argv[], const char *format)
{
	char what[512];
	const char *error;
	int status;

	execvp(argv[0], argv);
	status = errno == ENOENT ? 127 : 126;
	error = strerror(errno);
	if (found[0] && interpreter_error(found))
		error = interpreter_error(found);
	snprintf(what, sizeof(what), format, argv[0]);
	warnx("%s: %s", what, error);
	_exit(status);
}
