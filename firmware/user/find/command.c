/* SPDX-License-Identifier: GPL-2.0-only */
/* -exec: a command for a file, or for many. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "find.h"

#define MANY	256

/* The tests that have collected paths. */
static struct test *all_many, **last_many = &all_many;

static size_t word_count(char **words)
{
	size_t count = 0;

	while (words[count])
		count++;
	return count;
}

static bool run(char **argv)
{
	int ended;
	pid_t pid;

	if (fflush(stdout) < 0)
		exit(1);
	pid = fork();
	if (pid < 0)
		err(1, "cannot fork");
	if (pid == 0) {
		execvp(argv[0], argv);
		warn("'%s'", argv[0]);
		_exit(1);
	}
	if (waitpid(pid, &ended, 0) < 0)
		err(1, "cannot wait");
	return ended == 0;
}

/* @word with @path for its {}. */
static char *filled_in(const char *word, const char *path)
{
	const char *mark = strstr(word, "{}");
	size_t size = strlen(word) + strlen(path) + 1;
	char *text;

	if (!mark)
		return xstrdup(word);
	text = xmalloc(size);
	snprintf(text, size, "%.*s%s%s", (int)(mark - word), word, path,
		 mark + 2);
	return text;
}

bool execute(const struct test *test, const char *path)
{
	size_t count = word_count(test->command);
	char **argv = xmalloc((count + 1) * sizeof(*argv));
	bool result;

	for (size_t i = 0; i < count; i++)
		argv[i] = filled_in(test->command[i], path);
	argv[count] = NULL;
	result = run(argv);
	while (count-- > 0)
		free(argv[count]);
	free(argv);
	return result;
}

static void run_many(struct test *test)
{
	size_t fixed = word_count(test->command);
	char **argv;

	if (!test->count)
		return;
	argv = xmalloc((fixed + test->count + 1) * sizeof(*argv));
	memcpy(argv, test->command, fixed * sizeof(*argv));
	memcpy(argv + fixed, test->collected, test->count * sizeof(*argv));
	argv[fixed + test->count] = NULL;
	if (!run(argv))
		status = 1;
	while (test->count > 0)
		free(test->collected[--test->count]);
	free(argv);
}

void collect(struct test *test, const char *path)
{
	if (!test->collected) {
		test->collected = xmalloc(MANY * sizeof(*test->collected));
		*last_many = test;
		last_many = &test->next_many;
	}
	test->collected[test->count++] = xstrdup(path);
	if (test->count == MANY)
		run_many(test);
}

void run_collected(void)
{
	for (struct test *test = all_many; test; test = test->next_many)
		run_many(test);
}
