/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * init: process 1. By default it runs the commands that the host sends through
 * /dev/command, one at a time. With mode=shell (from the kernel's command line,
 * hence in argv or the environment) it runs one shell on the console; the word
 * interactive makes that shell prompt. Commands get init's environment. When
 * init exits, the kernel powers the machine off with init's status.
 */
#include <err.h>
#include <errno.h>
#include <exec.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <emu/command.h>

static void open_console(void)
{
	int fd = open("/dev/console", O_RDWR);

	if (fd < 0)
		exit(1);
	for (int std = STDIN_FILENO; std <= STDERR_FILENO; std++)
		if (fd != std)
			dup2(fd, std);
	if (fd > STDERR_FILENO)
		close(fd);
}

/* Whatever of these the kernel has. */
static void mount_all(void)
{
	static const struct {
		const char *type, *where;
	} mounts[] = {
		{ "proc", "/proc" },
		{ "sysfs", "/sys" },
		{ "debugfs", "/sys/kernel/debug" },
		{ "tracefs", "/sys/kernel/tracing" },
	};

	for (unsigned int i = 0; i < sizeof(mounts) / sizeof(*mounts); i++) {
		mkdir(mounts[i].where, 0555);
		if (mount(mounts[i].type, mounts[i].where, mounts[i].type, 0,
			  NULL) && errno != ENODEV && errno != ENOENT)
			warn("%s", mounts[i].where);
	}
}

/* As one expects of a terminal, and as a file is read. */
static const struct termios cooked = {
	.c_iflag = ICRNL | IXON,
	.c_oflag = OPOST | ONLCR,
	.c_cflag = B38400 | CS8 | CREAD | HUPCL,
	.c_lflag = ISIG | ICANON | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE |
		   IEXTEN,
	.c_cc = {
		[VINTR] = 'C' - 64, [VQUIT] = '\\' - 64, [VERASE] = 127,
		[VKILL] = 'U' - 64, [VEOF] = 'D' - 64, [VSTART] = 'Q' - 64,
		[VSTOP] = 'S' - 64, [VSUSP] = 'Z' - 64, [VREPRINT] = 'R' - 64,
		[VDISCARD] = 'O' - 64, [VWERASE] = 'W' - 64,
		[VLNEXT] = 'V' - 64,
	},
}, raw = {
	.c_cflag = B38400 | CS8 | CREAD | HUPCL,
	.c_cc = { [VMIN] = 1 },
};

/*
 * If somebody sits at the console, what runs there is a session of its own, to
 * be interrupted from the keyboard; else a process group of its own, to be
 * killed when the host does not want to wait any longer.
 */
static void take_terminal(void)
{
	struct winsize size;

	if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) < 0) {
		setpgid(0, 0);
		return;
	}
	setsid();
	ioctl(STDIN_FILENO, TIOCSCTTY, 0);
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &cooked);
}

static void release_terminal(void)
{
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
}

/* The command that runs, and whether the host has given it up. */
static volatile pid_t running;
static volatile bool given_up;

static void give_up(int signal)
{
	(void)signal;
	given_up = true;
	if (running && kill(-running, SIGKILL) < 0)
		kill(running, SIGKILL);	/* it leads no group yet */
}

/* Whoever has all the processes or all the memory will not have it for ever. */
static pid_t fork_at_last(void)
{
	static const struct timespec moment = { .tv_nsec = 10000000 };
	pid_t pid;

	while ((pid = fork()) < 0) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		nanosleep(&moment, NULL);
	}
	return pid;
}

/* Returns the pid of a process that becomes the command. */
static pid_t start(char *const argv[], int command_fd)
{
	pid_t pid = fork_at_last();

	if (pid == 0) {
		take_terminal();
		ioctl(command_fd, COMMAND_EXEC);
		exec_or_exit(argv, "%s");
	}
	return pid;
}

/* Waits for pid; the orphans that end meanwhile are init's to bury. */
static int wait_for(pid_t pid)
{
	int status;
	pid_t ended;

	running = pid;
	if (given_up)
		give_up(SIGUSR1);
	do {
		ended = waitpid(-1, &status, 0);
		if (ended < 0 && errno != EINTR)
			err(1, "cannot wait");
	} while (ended != pid);
	running = 0;
	return status;
}

static void report(int command_fd, int status)
{
	if (write_all(command_fd, &status, sizeof(status)) < 0)
		err(1, "/dev/command");
}

static int serve_console(int command_fd, bool interactive)
{
	char *argv[] = { "sh", interactive ? "-i" : NULL, NULL };
	int status = wait_for(start(argv, command_fd));

	report(command_fd, status);
	return WIFEXITED(status) ? WEXITSTATUS(status) :
				   128 + WTERMSIG(status);
}

/* Points argv to the words of a command, a NUL after each. */
static void split(char *words, size_t length, char *argv[])
{
	for (char *word = words; word < words + length;
	     word += strlen(word) + 1)
		*argv++ = word;
	*argv = NULL;
}

/* Until there are no more commands. */
static int serve_commands(int command_fd)
{
	static char words[COMMAND_SIZE];
	static char *argv[COMMAND_SIZE + 1];	/* a word may be empty */
	ssize_t length;

	while ((length = read(command_fd, words, sizeof(words))) > 0) {
		int status;

		split(words, length, argv);
		status = wait_for(start(argv, command_fd));
		release_terminal();
		report(command_fd, status);
		given_up = false;
		while (waitpid(-1, &status, WNOHANG) > 0)
			;
	}
	if (length < 0)
		err(1, "/dev/command");
	return 0;
}

static bool has_word(char **words, const char *word)
{
	for (; *words; words++)
		if (!strcmp(*words, word))
			return true;
	return false;
}

int main(int argc, char **argv, char **envp)
{
	int command_fd;

	(void)argc;
	open_console();
	signal(SIGUSR1, give_up);
	command_fd = open("/dev/command", O_RDWR | O_CLOEXEC);
	if (command_fd < 0)
		err(1, "/dev/command");
	mount_all();
	if (has_word(argv, "mode=shell") || has_word(envp, "mode=shell"))
		return serve_console(command_fd, has_word(argv, "interactive"));
	return serve_commands(command_fd);
}
