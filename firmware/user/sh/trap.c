/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trap: commands for when the shell ends, or a signal comes. At a terminal ^C
 * is a trap, too: it ends the command line.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "shell.h"

#define AT_EXIT	0

/* What a shell at a terminal must survive, and its children must not. */
static const int guarded[] = {
	SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU
};

#define GUARDED_COUNT	(sizeof(guarded) / sizeof(*guarded))

static bool guarding;

/* NULL: as it was when the shell began; empty: ignored. */
static char *commands[SIGNAL_MAX + 1];
static bool caught[SIGNAL_MAX + 1];
static volatile int last_caught;

static bool exiting;		/* the trap for EXIT runs, or has run */

static void catch(int signal)
{
	caught[signal] = true;
	last_caught = signal;
}

/*
 * A return or break of the command's own counts. The command may set its own
 * trap anew, hence the copy.
 */
static void run(const char *command)
{
	int status = shell.status;
	struct control outer = control;
	char *copy = xstrdup(command);
	struct input in;

	control.jump = JUMP_NONE;
	input_push_text(&in, copy);
	in.buffer = copy;
	run_input();
	if (control.jump)
		return;
	control.jump = outer.jump;
	shell.status = status;
}

void shell_exit(int status)
{
	char *command = exiting ? NULL : commands[AT_EXIT];

	failure = NULL;
	if (command && *command) {
		exiting = true;
		/* An error in it, or ^C, is the end all the same. */
		shell.recovers = false;
		shell.status = status;
		shell.builtin = NULL;
		control.tested++;
		run(command);
		control.tested--;
	}
	exit(status);
}

bool traps_set(void)
{
	for (int number = 0; number <= SIGNAL_MAX; number++) {
		if (commands[number] && *commands[number])
			return true;
	}
	return false;
}

int trap_pending(void)
{
	return last_caught;
}

bool interrupt_pending(void)
{
	return guarding && caught[SIGINT];
}

bool interrupted(void)
{
	return interrupt_pending() && !commands[SIGINT];
}

void interrupt_check(void)
{
	if (interrupted()) {
		caught[SIGINT] = false;
		abandon_line();
	}
}

void traps_run(void)
{
	while (last_caught) {
		last_caught = 0;
		for (int signal = 1; signal <= SIGNAL_MAX; signal++) {
			if (!caught[signal] ||
			    (signal == SIGINT && interrupted()))
				continue;
			caught[signal] = false;
			if (commands[signal] && *commands[signal])
				run(commands[signal]);
		}
		interrupt_check();
	}
}

/* What was ignored when the shell began stays so, but at a terminal. */
static bool stays_ignored(int number)
{
	static enum { NOT_ASKED, IGNORED, NOT_IGNORED } were[SIGNAL_MAX + 1];
	struct sigaction action;

	if (shell.interactive)
		return false;
	if (were[number] == NOT_ASKED) {
		sigaction(number, NULL, &action);
		were[number] = action.sa_handler == SIG_IGN ? IGNORED :
							      NOT_IGNORED;
	}
	return were[number] == IGNORED;
}

static sighandler_t without_trap(int number)
{
	for (size_t i = 0; guarding && i < GUARDED_COUNT; i++)
		if (guarded[i] == number)
			return number == SIGINT ? catch : SIG_IGN;
	return SIG_DFL;
}

/* The system's side of a trap; NULL: there is none. */
static int handle(int number, const char *command)
{
	struct sigaction action = { .sa_flags = 0 };

	if (stays_ignored(number))
		return 0;
	action.sa_handler = !command ? without_trap(number) :
			    *command ? catch : SIG_IGN;
	return sigaction(number, &action, NULL);
}

static void set(int number, const char *command)
{
	char *copy = command ? xstrdup(command) : NULL;

	free(commands[number]);
	commands[number] = copy;
	if (number != AT_EXIT && handle(number, command) < 0)
		complain("cannot trap %s: %s", signal_name(number),
			 strerror(errno));
}

static void set_guarding(bool on)
{
	guarding = on;
	for (size_t i = 0; i < GUARDED_COUNT; i++)
		if (!commands[guarded[i]])
			handle(guarded[i], NULL);
}

static bool holding;
static sigset_t before_holding;

void traps_hold(void)
{
	sigset_t set;

	if (!guarding)
		return;
	sigemptyset(&set);
	for (size_t i = 0; i < GUARDED_COUNT; i++)
		sigaddset(&set, guarded[i]);
	holding = sigprocmask(SIG_BLOCK, &set, &before_holding) == 0;
}

void traps_release(void)
{
	if (holding)
		sigprocmask(SIG_SETMASK, &before_holding, NULL);
	holding = false;
}

void traps_guard(void)
{
	set_guarding(true);
}

void traps_reset(void)
{
	bool was_guarding = guarding;

	exiting = false;
	if (was_guarding)
		set_guarding(false);
	for (int number = 0; number <= SIGNAL_MAX; number++) {
		if (commands[number] && *commands[number])
			set(number, NULL);
		else if (number == AT_EXIT)
			commands[AT_EXIT] = NULL;
	}
	/* A ^C that came before this is the child's as well. */
	if (was_guarding && caught[SIGINT])
		raise(SIGINT);
	last_caught = 0;
	memset(caught, 0, sizeof(caught));
}

static int trap_number(const char *name)
{
	if (!strcmp(name, "EXIT"))
		return AT_EXIT;
	/* KILL and STOP are known, though nothing can be done about them. */
	return signal_number(name);
}

static void print_traps(void)
{
	for (int number = 0; number <= SIGNAL_MAX; number++) {
		const char *name = number ? signal_name(number) : "EXIT";

		if (!commands[number])
			continue;
		fputs("trap -- ", stdout);
		print_quoted(commands[number]);
		if (name)
			printf(" %s\n", name);
		else
			printf(" %d\n", number);
	}
}

int run_trap(int argc, char **argv)
{
	const char *command = NULL;
	int first = 1, status = 0;

	if (argc > 1 && !strcmp(argv[1], "--"))
		first++;
	if (first >= argc) {
		print_traps();
		return 0;
	}
	/* A number alone, or - first: back to how it was. */
	if (first + 1 < argc && parse_number(argv[first]) < 0) {
		command = argv[first++];
		if (!strcmp(command, "-"))
			command = NULL;
	}
	for (; first < argc; first++) {
		int number = trap_number(argv[first]);

		if (number < 0) {
			complain("%s: bad trap", argv[first]);
			status = 1;
			continue;
		}
		set(number, command);
	}
	return status;
}
