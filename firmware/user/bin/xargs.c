/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xargs [-0rt] [-n COUNT] [-I TEXT] [COMMAND [ARGUMENT]...]: runs the command with
 * what it reads as arguments. Status 123 if a command failed.
 */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_BYTES	(64 * 1024)	/* of arguments; execve() has a limit */

static bool by_null, not_if_empty, verbose;
static long most = 4096;
static const char *replace;
static int status;

static void run(char **argv)
{
	int ended;
	pid_t pid;

	if (verbose) {
		for (char **word = argv; *word; word++)
			fprintf(stderr, "%s%c", *word, word[1] ? ' ' : '\n');
	}
	pid = fork();
	if (pid < 0)
		err(1, "cannot fork");
	if (pid == 0) {
		execvp(argv[0], argv);
		warn("%s", argv[0]);
		_exit(errno == ENOENT ? 127 : 126);
	}
	if (waitpid(pid, &ended, 0) < 0)
		err(1, "cannot wait");
	if (WIFSIGNALED(ended))
		errx(125, "%s: terminated by signal %d", argv[0],
		     WTERMSIG(ended));
	if (WEXITSTATUS(ended) == 126 || WEXITSTATUS(ended) == 127)
		exit(WEXITSTATUS(ended));
	if (WEXITSTATUS(ended) == 255)
		errx(124, "%s: exited with status 255; aborting", argv[0]);
	if (WEXITSTATUS(ended))
		status = 123;
}

static char *read_line(char end)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t length = getdelim(&line, &size, end, stdin);

	if (length < 0)
		return NULL;
	if (line[length - 1] == end)
		line[length - 1] = '\0';
	return line;
}

/* The next of what blanks separate; quotes and backslashes keep them. */
static char *read_word(void)
{
	size_t length = 0, room = 64;
	char *word = xmalloc(room);
	bool any = false;
	char quote = 0;
	int c;

	while ((c = getchar()) != EOF) {
		if (length + 1 == room)
			word = xrealloc(word, room *= 2);
		if (quote) {
			if (c == '\n')
				errx(1, "unmatched %s quote", quote == '"' ?
				     "double" : "single");
			if (c == quote)
				quote = 0;
			else
				word[length++] = c;
		} else if (isspace(c)) {
			if (any)
				break;
			continue;
		} else if (c == '"' || c == '\'') {
			quote = c;
		} else {
			if (c == '\\' && (c = getchar()) == EOF)
				break;
			word[length++] = c;
		}
		any = true;
	}
	if (quote)
		errx(1, "unmatched %s quote", quote == '"' ? "double" :
		     "single");
	word[length] = '\0';
	return any ? word : NULL;
}

static char *read_argument(void)
{
	if (by_null)
		return read_line('\0');
	if (replace)
		return read_line('\n');
	return read_word();
}

static char *replaced(const char *text, const char *with)
{
	const size_t mark = strlen(replace), size = strlen(with);
	char *result = xmalloc(strlen(text) * (size + 1) + 1);
	char *to = result;

	while (*text) {
		if (!strncmp(text, replace, mark)) {
			to += sprintf(to, "%s", with);
			text += mark;
		} else {
			*to++ = *text++;
		}
	}
	*to = '\0';
	return result;
}

static void run_for_each(char **command)
{
	char *line;

	while ((line = read_argument())) {
		char **argv;
		int count = 0;

		while (isblank(*line))
			line++;
		if (!*line)
			continue;
		while (command[count])
			count++;
		argv = calloc(count + 1, sizeof(*argv));
		for (int i = 0; i < count; i++)
			argv[i] = replaced(command[i], line);
		run(argv);
	}
}

static void run_for_many(char **command)
{
	char *next = read_argument();
	bool ran = false;
	int fixed = 0;

	while (command[fixed])
		fixed++;
	while (next || (!ran && !not_if_empty)) {
		char **argv = calloc(fixed + most + 1, sizeof(*argv));
		size_t bytes = 0;
		long count = 0;

		if (!argv)
			errx(1, "out of memory");
		memcpy(argv, command, fixed * sizeof(*argv));
		while (next && count < most && bytes < MAX_BYTES) {
			bytes += strlen(next) + 1 + sizeof(next);
			argv[fixed + count++] = next;
			next = read_argument();
		}
		run(argv);
		for (long i = 0; i < count; i++)
			free(argv[fixed + i]);
		free(argv);
		ran = true;
	}
}

int main(int argc, char **argv)
{
	static char *echo[] = { "echo", NULL };
	char **command;
	int option;

	while ((option = getopt(argc, argv, "0rtn:I:")) >= 0) {
		switch (option) {
		case '0': by_null = true; break;
		case 'r': not_if_empty = true; break;
		case 't': verbose = true; break;
		case 'I': replace = optarg; break;
		case 'n':
			most = parse_number(optarg);
			if (most <= 0 || most > 1L << 20)
				errx(1, "invalid number \"%s\" for -n option",
				     optarg);
			break;
		default: return 1;
		}
	}
	command = optind < argc ? argv + optind : echo;
	if (replace)
		run_for_each(command);
	else
		run_for_many(command);
	return status;
}
