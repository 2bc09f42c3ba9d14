/* SPDX-License-Identifier: GPL-2.0-only */
/* Redirections, for a while or for ever. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell.h"

#define FIRST_PRIVATE_FD	10

/* What a descriptor was before a redirection. */
struct saved_fd {
	int fd;
	int copy;		/* -1: it was closed */
	struct saved_fd *before;
};

static struct saved_fd *saved_fds;

int move_fd_up(int fd)
{
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_PRIVATE_FD);

	if (moved >= 0)
		close(fd);
	return moved;
}

struct saved_fd *redirect_mark(void)
{
	return saved_fds;
}

static void save(int fd)
{
	struct saved_fd *saved = xmalloc(sizeof(*saved));

	saved->fd = fd;
	saved->copy = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_PRIVATE_FD);
	saved->before = saved_fds;
	saved_fds = saved;
}

void redirect_undo(struct saved_fd *mark)
{
	while (saved_fds != mark) {
		struct saved_fd *saved = saved_fds;

		if (saved->copy >= 0) {
			dup2(saved->copy, saved->fd);
			close(saved->copy);
		} else {
			close(saved->fd);
		}
		saved_fds = saved->before;
		free(saved);
	}
}

int redirect_original(int fd, const struct saved_fd *mark)
{
	int original = fd;

	for (const struct saved_fd *s = saved_fds; s != mark; s = s->before)
		if (s->fd == fd)
			original = s->copy;
	return original;
}

static int open_target(enum redirect_kind kind, const char *path)
{
	static const int flags[] = {
		[REDIRECT_INPUT] = O_RDONLY,
		[REDIRECT_OUTPUT] = O_WRONLY | O_CREAT | O_TRUNC,
		[REDIRECT_CLOBBER] = O_WRONLY | O_CREAT | O_TRUNC,
		[REDIRECT_APPEND] = O_WRONLY | O_CREAT | O_APPEND,
		[REDIRECT_BOTH] = O_RDWR | O_CREAT,
	};
	int how = flags[kind];
	struct stat st;
	int fd;

	/* With -C only what is no file may be there already. */
	if (kind == REDIRECT_OUTPUT && options.no_clobber &&
	    (stat(path, &st) < 0 || S_ISREG(st.st_mode)))
		how |= O_EXCL;
	do {
		fd = open(path, how, 0666);
	} while (fd < 0 && errno == EINTR && !trap_pending());
	if (fd >= 0)
		return fd;
	interrupt_check();
	if (kind == REDIRECT_INPUT)
		complain("cannot open %s: %s", path,
			 errno == ENOENT ? "No such file" : strerror(errno));
	else
		complain("cannot create %s: %s", path, errno == ENOENT ?
			 "Directory nonexistent" : strerror(errno));
	return -1;
}

/* A pipe that holds the text; a longer one is written by a child. */
static int open_text(const char *text)
{
	size_t length = strlen(text);
	int fds[2];
	pid_t pid;

	if (pipe(fds) < 0)
		fail("Pipe call failed");
	if (length <= PIPE_BUF) {
		write_all(fds[1], text, length);
	} else {
		pid = fork();
		if (pid < 0)
			fail("Cannot fork");
		if (pid == 0) {
			close(fds[0]);
			_exit(write_all(fds[1], text, length) < 0);
		}
	}
	close(fds[1]);
	return fds[0];
}

static bool redirect_to_file(const struct redirect *redirect, bool saving)
{
	const char *target = expand_string(redirect->target);
	int fd = redirect->kind >= REDIRECT_HERE ? open_text(target) :
						   open_target(redirect->kind,
							       target);

	if (fd < 0)
		return false;
	if (fd == redirect->fd) {
		/* It was closed, and is to be so again. */
		if (saving) {
			save(fd);
			close(saved_fds->copy);
			saved_fds->copy = -1;
		}
		return true;
	}
	if (saving)
		save(redirect->fd);
	dup2(fd, redirect->fd);
	close(fd);
	return true;
}

static bool duplicate(const struct redirect *redirect, bool saving)
{
	const char *target = expand_string(redirect->target);
	long from = parse_number(target);

	if (strcmp(target, "-") && from < 0)
		fail("Syntax error: Bad fd number");
	if (saving)
		save(redirect->fd);
	if (from < 0) {
		close(redirect->fd);
	} else if (dup2(from, redirect->fd) < 0) {
		complain("%s: %s", target, strerror(errno));
		return false;
	}
	return true;
}

bool redirect(const struct redirect *redirect, bool saving)
{
	for (; redirect; redirect = redirect->next) {
		bool done = redirect->kind == REDIRECT_DUP_INPUT ||
			    redirect->kind == REDIRECT_DUP_OUTPUT ?
			    duplicate(redirect, saving) :
			    redirect_to_file(redirect, saving);

		if (!done)
			return false;
	}
	return true;
}
