/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * swapexec WORKERS ROUNDS [PROGRAMS [FILES]]: each worker writes two programs
 * in turn into one file in the folder FILES (/tmp) and executes it. Truncating
 * the file frees its pages, so one program's code lands where the other's was:
 * a CPU that remembers what it fetched there runs the wrong program, and the
 * exit status tells. PROGRAMS (/bin) holds exit17 and exit42.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_WORKERS	64
#define MAX_PROGRAM	(64 * 1024)

static struct program {
	const char *name;
	int status;
	char *bytes;
	size_t size;
} programs[] = {
	{ .name = "exit17", .status = 17 },
	{ .name = "exit42", .status = 42 },
};

static void load(struct program *program, const char *folder)
{
	char path[256];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, program->name);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		err(2, "%s", path);
	program->bytes = xmalloc(MAX_PROGRAM);
	while ((got = read(fd, program->bytes + program->size,
			   MAX_PROGRAM - program->size)) > 0)
		program->size += got;
	if (got < 0 || program->size == MAX_PROGRAM)
		errx(2, "%s: cannot read, or too large", path);
	close(fd);
}

static bool write_program(const struct program *program, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0755);

	if (fd < 0 || write_all(fd, program->bytes, program->size) < 0) {
		warn("%s", path);
		return false;
	}
	close(fd);
	return true;
}

static bool runs_as(const struct program *program, const char *path)
{
	char *argv[] = { (char *)path, NULL };
	int status;
	pid_t pid = fork();

	if (pid < 0) {
		warn("cannot fork");
		return false;
	}
	if (pid == 0) {
		execve(path, argv, environ);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid) {
		warn("cannot wait");
		return false;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == program->status)
		return true;
	warnx("%s: wait status 0x%x instead of exit %d", path, status,
	      program->status);
	return false;
}

/* Ends with status 1 at the first round that goes wrong. */
static void work(long rounds, const char *folder)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/swapexec.%d", folder, getpid());
	for (long round = 0; round < rounds; round++) {
		const struct program *program = &programs[round % 2];

		if (!write_program(program, path) || !runs_as(program, path))
			_exit(1);
	}
	unlink(path);
	_exit(0);
}

int main(int argc, char **argv)
{
	long workers, rounds;
	long errors = 0;

	if (argc < 3 || argc > 5)
		errx(2, "usage: swapexec WORKERS ROUNDS [PROGRAMS [FILES]]");
	workers = parse_number(argv[1]);
	rounds = parse_number(argv[2]);
	if (workers < 1 || workers > MAX_WORKERS || rounds < 0)
		errx(2, "invalid number");
	load(&programs[0], argc > 3 ? argv[3] : "/bin");
	load(&programs[1], argc > 3 ? argv[3] : "/bin");
	for (long worker = 0; worker < workers; worker++) {
		pid_t pid = fork();

		if (pid < 0)
			err(2, "cannot fork");
		if (pid == 0)
			work(rounds, argc > 4 ? argv[4] : "/tmp");
	}
	for (long worker = 0; worker < workers; worker++) {
		int status;

		if (waitpid(-1, &status, 0) < 0 || status != 0)
			errors++;
	}
	printf("swapexec: %ld workers, %ld rounds, %ld errors\n", workers,
	       workers * rounds, errors);
	return errors ? 1 : 0;
}
