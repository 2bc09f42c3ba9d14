/* SPDX-License-Identifier: GPL-2.0-only */
/* Files and commands that are read from and written to, by their names. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "awk.h"

struct stream {
	struct stream *next;
	char *name;
	FILE *file;
	pid_t child;			/* 0: a file */
	bool output;
};

static struct stream *streams;

static struct stream *find(const char *name, bool output, bool command)
{
	struct stream *s;

	for (s = streams; s; s = s->next)
		if (s->output == output && !s->child == !command &&
		    !strcmp(s->name, name))
			break;
	return s;
}

static struct stream *add(const char *name, FILE *file, pid_t child, bool output)
{
	struct stream *s = xmalloc(sizeof(*s));

	*s = (struct stream){
		.next = streams, .name = xstrdup(name), .file = file,
		.child = child, .output = output,
	};
	streams = s;
	return s;
}

/* Its descriptors are the child's ends of other pipes too, and must go. */
static void become(const char *command)
{
	char *argv[] = { "sh", "-c", (char *)command, NULL };

	for (struct stream *s = streams; s; s = s->next)
		close(fileno(s->file));
	execve("/bin/sh", argv, environ);
	fprintf(stderr, "awk: cannot run sh: %s\n", strerror(errno));
	_exit(127);
}

static FILE *start(const char *command, bool output, pid_t *child)
{
	int ends[2];

	streams_flush(NULL);
	if (pipe(ends) < 0)
		return NULL;
	*child = fork();
	if (*child < 0) {
		close(ends[0]);
		close(ends[1]);
		return NULL;
	}
	if (*child == 0) {
		dup2(ends[!output], output ? STDIN_FILENO : STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		become(command);
	}
	close(ends[!output]);
	fcntl(ends[output], F_SETFD, FD_CLOEXEC);
	return fdopen(ends[output], output ? "w" : "r");
}

FILE *output_stream(enum redirection how, const char *name)
{
	struct stream *s;
	pid_t child = 0;
	FILE *file;

	if (how == TO_STDOUT || (how != TO_PIPE && !strcmp(name, "/dev/stdout")))
		return stdout;
	if (how != TO_PIPE && !strcmp(name, "/dev/stderr"))
		return stderr;
	s = find(name, true, how == TO_PIPE);
	if (s)
		return s->file;
	file = how == TO_PIPE ? start(name, true, &child) :
			        fopen(name, how == TO_APPEND ? "a" : "w");
	if (!file)
		fatal("cannot write to %s: %s", name, strerror(errno));
	return add(name, file, child, true)->file;
}

FILE *input_stream(bool command, const char *name)
{
	struct stream *s = find(name, false, command);
	pid_t child = 0;
	FILE *file;

	if (s)
		return s->file;
	if (!command && (!strcmp(name, "-") || !strcmp(name, "/dev/stdin")))
		return stdin;
	file = command ? start(name, false, &child) : fopen(name, "r");
	return file ? add(name, file, child, false)->file : NULL;
}

static int wait_for(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

static int end(struct stream *s)
{
	int result = 0;

	if (s->output && fflush(s->file) < 0)
		result = -1;
	fclose(s->file);
	if (s->child)
		result = wait_for(s->child);
	free(s->name);
	free(s);
	return result;
}

int stream_close(const char *name)
{
	int result = -1;

	for (struct stream **at = &streams, *s; (s = *at);) {
		if (strcmp(s->name, name)) {
			at = &s->next;
			continue;
		}
		*at = s->next;
		result = end(s);
	}
	return result;
}

int streams_flush(const char *name)
{
	int result = name ? -1 : 0;

	if (!name && fflush(stdout) < 0)
		result = -1;
	for (struct stream *s = streams; s; s = s->next)
		if (s->output && (!name || !strcmp(s->name, name)))
			result = fflush(s->file) < 0 ? -1 : 0;
	return result;
}

int streams_close(void)
{
	int result = 0;

	if (finish_stream(stdout) < 0)
		result = -1;
	while (streams) {
		struct stream *s = streams;

		streams = s->next;
		if (end(s) < 0)
			result = -1;
	}
	return result;
}

void check_output(FILE *f, const char *name)
{
	if (ferror(f))
		fatal("cannot write to %s: %s", name, strerror(errno));
}

int run_system(const char *command)
{
	pid_t child;

	streams_flush(NULL);
	child = fork();
	if (child < 0)
		return -1;
	if (child == 0)
		become(command);
	return wait_for(child);
}
