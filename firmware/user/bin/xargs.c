/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xargs [-0rt] [-d C] [-n COUNT] [-L LINES] [-P COUNT] [-I TEXT] [COMMAND
 * [ARGUMENT]...]: runs the command with what it reads as arguments, -P as many at
 * a time. Status 123 if a command failed.
 */
#include <commands.h>
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_BYTES	(64 * 1024)	/* of arguments; execve() has a limit */

static bool not_if_empty, verbose;
static int delimiter = -1;		/* -1: blanks and quotes count */
static long most = 4096, most_lines, most_at_once = 1;
static const char *replace;
static bool line_ended;			/* with the last word */
static long running;
static int status;

/* Until no more commands run than that. */
static void wait_for(char **argv, long allowed)
{
	int ended;

	for (; running > allowed; running--) {
		if (waitpid(-1, &ended, 0) < 0)
			err(1, "cannot wait");
		if (WIFSIGNALED(ended))
			errx(125, "%s: terminated by signal %d", argv[0],
			     WTERMSIG(ended));
		if (WEXITSTATUS(ended) == 126 || WEXITSTATUS(ended) == 127)
			exit(WEXITSTATUS(ended));
		if (WEXITSTATUS(ended) == 255)
			errx(124, "%s: exited with status 255; aborting",
			     argv[0]);
		if (WEXITSTATUS(ended))
			status = 123;
	}
}

static void run(char **argv)
{
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
	running++;
	wait_for(argv, most_at_once - 1);
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
			line_ended = c == '\n';
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
	if (delimiter >= 0)
		return read_line(delimiter);
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
		long count = 0, lines = 0;

		if (!argv)
			errx(1, "out of memory");
		memcpy(argv, command, fixed * sizeof(*argv));
		while (next && count < most && bytes < MAX_BYTES &&
		       (!most_lines || lines < most_lines)) {
			lines += line_ended || delimiter >= 0;
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

static long count_of(const char *text, int option)
{
	long count = parse_number(text);

	if (count <= 0 || count > 1L << 20)
		errx(1, "invalid number \"%s\" for -%c option", text, option);
	return count;
}

static const struct long_option names[] = {
	{ "null", '0' }, { "no-run-if-empty", 'r' }, { "verbose", 't' },
	{ "delimiter", 'd' }, { "max-args", 'n' }, { "max-lines", 'L' },
	{ "max-procs", 'P' }, { "replace", 'I' }, { NULL, 0 }
};

int main(int argc, char **argv)
{
	static char *echo[] = { "echo", NULL };
	char **command;
	int option;

	while ((option = getopt_long(argc, argv, "+0rtd:n:L:P:I:",
				     names)) >= 0) {
		switch (option) {
		case '0': delimiter = '\0'; break;
		case 'd':
			delimiter = (unsigned char)*optarg++;
			if (delimiter == '\\' && *optarg)
				delimiter = escaped_char((const char **)&optarg,
							 true);
			if (delimiter < 0 || *optarg)
				errx(1, "invalid delimiter");
			break;
		case 'r': not_if_empty = true; break;
		case 't': verbose = true; break;
		case 'I': replace = optarg; break;
		case 'n': most = count_of(optarg, option); break;
		case 'L': most_lines = count_of(optarg, option); break;
		case 'P':
			most_at_once = strcmp(optarg, "0") ?
				       count_of(optarg, option) : LONG_MAX;
			break;
		default: return 1;
		}
	}
	command = optind < argc ? argv + optind : echo;
	if (replace)
		run_for_each(command);
	else
		run_for_many(command);
	wait_for(command, 0);
	return status;
}
