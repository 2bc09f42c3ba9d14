/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pgrep and pkill: processes of which the name, or with -f all arguments, match
 * an extended regular expression. Status 1: there is none.
 */
#include <commands.h>
#include <ctype.h>
#include <err.h>
#include <proc.h>
#include <regex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_SIZE	1024
#define USAGE		2	/* the exit status */

static bool arguments, exact, inverse, newest, oldest, names, all_names;
static bool counts, tells, fold;
static long parent = -1;
static const char *separator = "\n";
static struct regex *regex;

static void arguments_of(int pid, char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	read_proc(path, text, TEXT_SIZE);
	if (!*text)
		process_name(pid, text);
}

/* The fields of stat that follow the name in parentheses. */
static long parent_of(int pid)
{
	char path[64], text[TEXT_SIZE], *end;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	read_proc(path, text, sizeof(text));
	end = strrchr(text, ')');
	return end && end[1] ? strtol(end + 3, NULL, 10) : -1;
}

static bool matches(int pid)
{
	struct match match[REGEX_GROUPS];
	char text[TEXT_SIZE];
	size_t length;
	bool found;

	if (pid == getpid() || (parent >= 0 && parent_of(pid) != parent))
		return false;
	if (arguments)
		arguments_of(pid, text);
	else
		process_name(pid, text);
	length = strlen(text);
	if (!length)
		return false;
	found = !regex || regex_search(regex, text, length, 0, match);
	if (found && regex && exact)
		found = match[0].start == 0 && match[0].end == length;
	return found != inverse;
}

/* Leaves those that match in the list; returns how many. */
static int choose(int *pids, int count)
{
	int chosen = 0;

	for (int i = 0; i < count; i++)
		if (matches(pids[i]))
			pids[chosen++] = pids[i];
	/* Numbers grow with time. */
	if (newest && chosen)
		pids[0] = pids[chosen - 1];
	return chosen && (newest || oldest) ? 1 : chosen;
}

static void print(int pid, bool last)
{
	char text[TEXT_SIZE];

	printf("%d", pid);
	if (all_names)
		arguments_of(pid, text);
	else
		process_name(pid, text);
	if (names || all_names)
		printf(" %s", text);
	fputs(last ? "\n" : separator, stdout);
}

static bool send_signal(int pid, int signal)
{
	char name[PROCESS_NAME];

	process_name(pid, name);
	if (kill(pid, signal) < 0) {
		warn("killing pid %d failed", pid);
		return false;
	}
	if (tells)
		printf("%s killed (pid %d)\n", name, pid);
	return true;
}

static int signal_of(const char *name)
{
	int signal = signal_number(name);

	if (signal < 0)
		errx(USAGE, "unknown signal: %s", name);
	return signal;
}

static long parent_number(const char *text)
{
	long number = parse_number(text);

	if (number < 0)
		errx(USAGE, "not a number: %s", text);
	return number;
}

static void parse_options(int argc, char **argv, const char *options,
			  int *signal)
{
	int option;

	while ((option = getopt(argc, argv, options)) >= 0) {
		switch (option) {
		case 'a': all_names = true; break;
		case 'c': counts = true; break;
		case 'd': separator = optarg; break;
		case 'e': tells = true; break;
		case 'f': arguments = true; break;
		case 'i': fold = true; break;
		case 'l': names = true; break;
		case 'n': newest = true; break;
		case 'o': oldest = true; break;
		case 'P': parent = parent_number(optarg); break;
		case 's': *signal = signal_of(optarg); break;
		case 'v': inverse = true; break;
		case 'x': exact = true; break;
		default: exit(USAGE);
		}
	}
}

int command_pgrep(int argc, char **argv, bool kills)
{
	int signal = SIGTERM, count, *pids;
	const char *error;
	bool done = false;

	/* pkill -9 and -HUP: no option is in capitals but P. */
	if (kills && argc > 1 && argv[1][0] == '-' &&
	    (isdigit(argv[1][1]) || (isupper(argv[1][1]) && argv[1][2] &&
				     signal_number(argv[1] + 1) >= 0))) {
		signal = signal_of(argv[1] + 1);
		argv[1] = argv[0];
		argv++, argc--;
	}
	parse_options(argc, argv, kills ? "cefinoP:s:vx" : "acd:filnoP:vx",
		      &signal);
	if (argc - optind > 1)
		errx(USAGE, "only one pattern can be provided");
	if (optind == argc && parent < 0)
		errx(USAGE, "no matching criteria specified");
	if (optind < argc) {
		regex = regex_compile(argv[optind], REGEX_EXTENDED |
				      (fold ? REGEX_ICASE : 0), &error);
		if (!regex)
			errx(USAGE, "%s", error);
	}
	count = all_pids(&pids);
	count = choose(pids, count);
	for (int i = 0; i < count; i++) {
		if (kills)
			done |= send_signal(pids[i], signal);
		else if (!counts)
			print(pids[i], i + 1 == count);
	}
	if (counts)
		printf("%d\n", count);
	free(pids);
	return kills ? !done : !count;
}
