/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nohup COMMAND [ARGUMENT]...: goes on after a hangup. What would be written to
 * a terminal goes to nohup.out.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

#define FAILED	125	/* of this program itself, not of the command */

static void replace(int fd, const char *path, int flags)
{
	int file = open(path, flags, 0600);

	if (file < 0)
		err(FAILED, "failed to open '%s'", path);
	if (dup2(file, fd) < 0)
		err(FAILED, "%s", path);
	close(file);
}

int main(int argc, char **argv)
{
	bool in = isatty(STDIN_FILENO), out = isatty(STDOUT_FILENO);

	if (getopt(argc, argv, "+") >= 0)
		return FAILED;
	if (optind == argc)
		errx(FAILED, "missing operand");
	if (in || out)
		warnx("%s%s%s", in ? "ignoring input" : "", in && out ?
		      " and " : "", out ? "appending output to 'nohup.out'" : "");
	if (in)
		replace(STDIN_FILENO, "/dev/null", O_RDONLY);
	if (out)
		replace(STDOUT_FILENO, "nohup.out",
			O_WRONLY | O_CREAT | O_APPEND);
	if (isatty(STDERR_FILENO))
		dup2(STDOUT_FILENO, STDERR_FILENO);
	signal(SIGHUP, SIG_IGN);
	execvp(argv[optind], argv + optind);
	err(errno == ENOENT ? 127 : 126, "failed to run command '%s'",
	    argv[optind]);
}
