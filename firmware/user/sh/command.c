/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds programs and becomes them. */
#include <errno.h>
#include <exec.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell.h"

/* A text that the kernel cannot execute is taken for a script. */
static void run_as_script(const char *path, char **argv, char **environment)
{
	struct strings words = { .count = 0 };

	strings_add(&words, (char *)shell.name);
	strings_add(&words, (char *)path);
	while (*++argv)
		strings_add(&words, *argv);
	execve("/bin/sh", words.items, environment);
}

/* Ends the shell after a message if it is a binary, or another's script. */
static void check_text(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const char *error = fd < 0 ? NULL : binary_error(fd);

	if (error) {
		complain(BINARY_ERROR, path, error);
		exit(STATUS_NOT_EXECUTABLE);
	}
	error = interpreter_error(path);
	if (error) {
		complain("%s: cannot execute: %s", path, error);
		exit(STATUS_NOT_EXECUTABLE);
	}
}

/* Returns what is missing besides the file itself, if the file is there. */
static const char *try(const char *path, char **argv)
{
	char **environment = vars_environment();
	const char *missing = NULL;
	int error;

	execve(path, argv, environment);
	error = errno;
	if (error == ENOEXEC) {
		check_text(path);
		run_as_script(path, argv, environment);
	} else if (error == ENOENT) {
		missing = interpreter_error(path);
		errno = error;
	}
	return missing;
}

char *next_candidate(const char **path, const char *name)
{
	size_t length, size;
	char *candidate;

	if (!*path)
		return NULL;
	length = strcspn(*path, ":");
	size = length + strlen(name) + 3;
	candidate = arena_alloc(&temp_arena, size);
	snprintf(candidate, size, "%.*s/%s", length ? (int)length : 1,
		 length ? *path : ".", name);
	*path = (*path)[length] ? *path + length + 1 : NULL;
	return candidate;
}

/* errno says why it comes back, and what it returns is as of try(). */
static const char *search(char **argv)
{
	const char *path = var_get("PATH"), *missing = NULL;
	int error = ENOENT;
	char *candidate;

	while ((candidate = next_candidate(&path, argv[0]))) {
		const char *lacks;
		struct stat st;

		if (stat(candidate, &st) < 0 || !S_ISREG(st.st_mode))
			continue;
		lacks = try(candidate, argv);
		missing = lacks ? lacks : missing;
		if (errno != ENOENT && errno != ENOTDIR)
			error = errno;
	}
	errno = error;
	return missing;
}

char *find_program(const char *name)
{
	const char *path = var_get("PATH");
	char *candidate;

	if (strchr(name, '/'))
		return access(name, X_OK) == 0 ? (char *)name : NULL;
	while ((candidate = next_candidate(&path, name))) {
		struct stat st;

		if (stat(candidate, &st) == 0 && S_ISREG(st.st_mode) &&
		    access(candidate, X_OK) == 0)
			return candidate;
	}
	return NULL;
}

void execute(char **argv)
{
	const char *missing = strchr(argv[0], '/') ? try(argv[0], argv) :
						     search(argv);

	if (errno == ENOENT || errno == ENOTDIR) {
		complain("%s: not found%s%s", argv[0], missing ? ": " : "",
			 missing ? missing : "");
		exit(STATUS_NOT_FOUND);
	}
	complain("%s: %s", argv[0], strerror(errno));
	exit(STATUS_NOT_EXECUTABLE);
}
