/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The agent: runs the host's commands one after the other, and carries what
 * they read and write. It waits in one place only, in ppoll(). As long as the
 * port has not taken a frame, the agent reads no more of the programs.
 */
#include "agent.h"
#include "channel.h"

#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_WORDS_SIZE	(2 * 1024 * 1024UL)	/* more, Linux does not take */
#define MAX_STREAMS	512
#define TERMINAL_HOLDS	(128 * 1024)		/* no more than this */
#define CANNOT_EXECUTE	126

/* Where programs write, also those that have outlived their command. */
struct stream {
	int fd;
	unsigned char type;
	bool is_current;	/* the command's that runs */
	long left;		/* bytes to send before EXIT */
};

static char *words;		/* from the host */
static size_t words_length, words_room;
static bool words_lost;

static struct command command = { 0, -1, -1, -1, -1 };
static bool is_running, has_ended;	/* RUN to EXIT; in it, no process */
static int status;
static char complaint[512];		/* why there is none */
static unsigned char input[CHANNEL_INPUT_WINDOW];
static size_t input_length;
static bool input_ends;

static struct stream streams[MAX_STREAMS];
static unsigned int stream_count, next_stream;

static volatile int end_signal;

/* Input that the program will not get, or not need. */
static void close_input(void)
{
	credit_input(input_length);
	input_length = 0;
	if (command.input >= 0)
		close(command.input);
	command.input = -1;
}

static void write_input(void)
{
	ssize_t done = 0;

	if (command.input < 0)
		return;
	if (input_length > 0)
		done = write(command.input, input, input_length);
	if (done < 0 && errno != EAGAIN) {
		close_input();
	} else if (done > 0) {
		input_length -= done;
		credit_input(done);
		memmove(input, input + done, input_length);
	}
	if (input_ends && input_length == 0)
		close_input();
}

static void add_stream(int fd, unsigned char type)
{
	if (fd >= 0)
		streams[stream_count++] = (struct stream){ fd, type, true, 0 };
}

/* Whether it had something, which is a frame now. */
static bool read_stream(struct stream *s)
{
	size_t most = CHANNEL_TO_HOST;
	ssize_t got;

	if (s->left > 0 && s->left < (long)most)
		most = s->left;
	got = read(s->fd, frame_data, most);
	if (got > 0) {
		s->left -= s->left > 0 ? got : 0;
		make_frame(s->type, got);
		return true;
	}
	s->left = 0;
	if (got == 0 || errno != EAGAIN) {
		close(s->fd);
		*s = streams[--stream_count];
	}
	return false;
}

/* Taking turns. */
static bool read_next_stream(void)
{
	for (unsigned int tries = stream_count; tries-- > 0;) {
		next_stream = next_stream < stream_count ? next_stream : 0;
		if (read_stream(&streams[next_stream++]))
			return true;
	}
	return false;
}

/* What a command has left behind, then its end. */
static void finish_command(void)
{
	for (unsigned int i = 0; i < stream_count;)
		if (streams[i].left == 0)
			i++;
		else if (read_stream(&streams[i]))
			return;
		else
			i = 0;	/* another may be in its place */
	for (unsigned int i = 0; i < stream_count; i++)
		streams[i].is_current = false;
	put_number(frame_data, status, 4);
	make_frame(FRAME_EXIT, 4);
	is_running = false;
}

/* Makes a frame if there is anything to tell; the last one has been sent. */
static void next_frame(void)
{
	if (make_port_frame())
		return;
	if (complaint[0]) {
		size_t length = strlen(complaint);

		memcpy(frame_data, complaint, length);
		make_frame(FRAME_ERRORS, length);
		complaint[0] = '\0';
	} else if (has_ended && is_running) {
		finish_command();
	} else {
		read_next_stream();
	}
}

/* The command's main process is no more. */
static void command_ended(int wait_status)
{
	has_ended = true;
	status = wait_status;
	close_input();
	for (unsigned int i = 0; i < stream_count; i++) {
		int holds = TERMINAL_HOLDS;

		if (!streams[i].is_current)
			continue;
		if (command.terminal < 0)
			ioctl(streams[i].fd, FIONREAD, &holds);
		streams[i].left = holds;
	}
	if (command.terminal >= 0)
		close(command.terminal);
	command.terminal = -1;
	command.pid = 0;
}

static void reap(void)
{
	int wait_status;
	pid_t pid;

	while ((pid = waitpid(-1, &wait_status, WNOHANG)) > 0)
		if (pid == command.pid)
			command_ended(wait_status);
}

/* Points list to so many words of the block; false if it has no so many. */
static bool split(char **list, size_t count, char **from)
{
	for (; count > 0; count--) {
		char *end = memchr(*from, '\0', words + words_length - *from);

		if (!end)
			return false;
		*list++ = *from;
		*from = end + 1;
	}
	*list = NULL;
	return true;
}

/* The agent's own environment, but for the names that are there already. */
static void add_environment(char **list, size_t given)
{
	char **end = list + given;

	for (char **entry = environ; *entry; entry++) {
		size_t length = strcspn(*entry, "=") + 1, i = 0;

		while (i < given && strncmp(list[i], *entry, length))
			i++;
		if (i == given)
			*end++ = *entry;
	}
	*end = NULL;
}

static struct window get_window(const unsigned char *from)
{
	return (struct window){ get_number(from, 2), get_number(from + 2, 2) };
}

static int start(const unsigned char *run, char **argv, char **envp)
{
	bool terminal = get_number(run, 4) & RUN_TERMINAL;
	struct window window = get_window(run + 4);

	if (stream_count + 2 > MAX_STREAMS)
		return EMFILE;
	if (!start_command(&command, argv, envp, terminal ? &window : NULL))
		return errno;
	add_stream(command.output, FRAME_OUTPUT);
	add_stream(command.errors, FRAME_ERRORS);
	return 0;
}

/* False if the words are not those that RUN tells of. */
static bool run(const unsigned char *run)
{
	size_t argc = get_number(run + 8, 4);
	size_t envc = get_number(run + 12, 4), own = 0;
	char **argv, **envp, *rest = words;
	bool good = false;
	int error = words_lost ? E2BIG : ENOMEM;

	while (environ[own])
		own++;
	if (is_running || argc == 0 ||
	    (!words_lost && argc + envc > words_length))
		return false;
	is_running = true;
	has_ended = input_ends = false;
	argv = words_lost ? NULL :
	       malloc((argc + envc + own + 2) * sizeof(*argv));
	if (argv) {
		envp = argv + argc + 1;
		good = split(argv, argc, &rest) && split(envp, envc, &rest) &&
		       rest == words + words_length;
		if (good) {
			add_environment(envp, envc);
			error = start(run, argv, envp);
		}
	}
	if (error) {
		snprintf(complaint, sizeof(complaint), "%s: %.400s: %s\n",
			 program_name, words ? words : "", strerror(error));
		command_ended(CANNOT_EXECUTE << 8);
	}
	free(argv);
	words_length = 0;
	words_lost = false;
	return good || !argv;
}

static void add_words(const unsigned char *data, size_t length)
{
	words_lost |= words_length + length > MAX_WORDS_SIZE;
	if (!words_lost && words_length + length > words_room) {
		size_t room = words_room ? 2 * words_room : 64 * 1024;
		char *more = realloc(words, room);

		words_lost = !more;
		if (more) {
			words = more;
			words_room = room;
		}
	}
	if (words_lost)
		return;
	memcpy(words + words_length, data, length);
	words_length += length;
}

static void add_input(const unsigned char *data, size_t length)
{
	if (command.input < 0 || input_ends ||
	    input_length + length > sizeof(input)) {
		credit_input(length);
		return;
	}
	memcpy(input + input_length, data, length);
	input_length += length;
}

bool obey(int type, const unsigned char *data, size_t length)
{
	struct window window;

	switch (type) {
	case FRAME_ARGUMENTS:
		add_words(data, length);
		return true;
	case FRAME_RUN:
		return length == RUN_SIZE && run(data);
	case FRAME_INPUT:
		add_input(data, length);
		return true;
	case FRAME_INPUT_END:
		input_ends = true;
		return length == 0;
	case FRAME_SIGNAL:
		if (length == 4 && command.pid)
			signal_command(&command, get_number(data, 4));
		return length == 4;
	case FRAME_WINDOW:
		if (length != 4)
			return false;
		window = get_window(data);
		if (command.terminal >= 0)
			set_window(command.terminal, &window);
		return true;
	case FRAME_KILL:
		if (command.pid)
			kill_session(command.pid);
		return length == 0;
	default:
		return false;
	}
}

/* Until something can be done; just looks if there may be more to send. */
static void wait_for_work(bool only_looks)
{
	static const struct timespec at_once;
	static struct pollfd fds[2 + MAX_STREAMS];
	unsigned int count = 2;
	sigset_t none;

	poll_port(&fds[0]);
	/* Without anything to write, a pipe nobody reads would wake us up. */
	fds[1] = (struct pollfd){ input_length ? command.input : -1, POLLOUT,
				  0 };
	for (unsigned int i = 0; !has_frame() && i < stream_count; i++)
		fds[count++] = (struct pollfd){ streams[i].fd, POLLIN, 0 };
	sigemptyset(&none);
	if (ppoll(fds, count, only_looks ? &at_once : NULL, &none) < 0 &&
	    errno != EINTR)
		err(1, "ppoll");
	if (fds[0].revents & POLLIN)
		read_port();
}

static void note_end(int signal)
{
	end_signal = signal;
}

static void nothing(int signal)
{
	(void)signal;	/* ppoll() returns */
}

/* Signals come in ppoll() and nowhere else. */
static void catch_signals(bool is_first)
{
	static const int ends[] = { SIGUSR1, SIGUSR2, SIGTERM };
	sigset_t caught;

	sigemptyset(&caught);
	sigaddset(&caught, SIGCHLD);
	signal(SIGCHLD, nothing);
	signal(SIGPIPE, SIG_IGN);
	for (int i = 0; is_first && i < 3; i++) {
		sigaddset(&caught, ends[i]);
		signal(ends[i], note_end);
	}
	sigprocmask(SIG_BLOCK, &caught, NULL);
}

void serve(bool is_first)
{
	catch_signals(is_first);
	open_port();
	for (;;) {
		bool sends;

		if (!has_frame())
			next_frame();
		sends = has_frame();
		if (sends)
			write_port();
		wait_for_work(sends && !has_frame());
		write_input();
		reap();
		if (end_signal)
			end_machine(end_signal);
	}
}
