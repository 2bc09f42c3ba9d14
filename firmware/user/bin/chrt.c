/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chrt [OPTION]... PRIORITY COMMAND [ARGUMENT]..., chrt [OPTION]... -p
 * [PRIORITY] PID: runs a command in a scheduling class, or shows or changes
 * that of a process.
 */
#include <err.h>
#include <exec.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	int policy;
	const char *name;
} policies[] = {
	{ SCHED_OTHER, "SCHED_OTHER" },
	{ SCHED_FIFO, "SCHED_FIFO" },
	{ SCHED_RR, "SCHED_RR" },
	{ SCHED_BATCH, "SCHED_BATCH" },
	{ SCHED_IDLE, "SCHED_IDLE" },
	{ SCHED_DEADLINE, "SCHED_DEADLINE" },
};

#define POLICIES	(sizeof(policies) / sizeof(*policies))

static const struct long_option names[] = {
	{ "all-tasks", 'a' }, { "batch", 'b' }, { "deadline", 'd' },
	{ "fifo", 'f' }, { "idle", 'i' }, { "other", 'o' }, { "rr", 'r' },
	{ "reset-on-fork", 'R' }, { "sched-runtime", 'T' },
	{ "sched-deadline", 'D' }, { "sched-period", 'P' }, { "max", 'm' },
	{ "pid", 'p' }, { "verbose", 'v' }, { "help", 'h' }, { NULL, 0 },
};

static const char usage[] =
	"Show or change the real-time scheduling attributes of a process.\n"
	"\n"
	"Set policy:\n"
	" chrt [options] <priority> <command> [<arg>...]\n"
	" chrt [options] --pid <priority> <pid>\n"
	"\n"
	"Get policy:\n"
	" chrt [options] -p <pid>\n"
	"\n"
	"Policy options: -b, -d, -f, -i, -o, -r (the default)\n"
	"Scheduling options: -R, -T <ns>, -P <ns>, -D <ns>\n"
	"Other options: -a, -m, -p, -v\n";

static const char *policy_name(int policy)
{
	for (size_t i = 0; i < POLICIES; i++)
		if (policies[i].policy == policy)
			return policies[i].name;
	return "unknown";
}

static void show_min_max(void)
{
	for (size_t i = 0; i < POLICIES; i++)
		printf("%s min/max priority\t: %d/%d\n", policies[i].name,
		       sched_get_priority_min(policies[i].policy),
		       sched_get_priority_max(policies[i].policy));
}

static void show(pid_t pid, const char *which)
{
	struct sched_attr attr;

	if (sched_getattr(pid, &attr, sizeof(attr), 0) < 0)
		err(1, "failed to get pid %d's policy", pid);
	if (!pid)
		pid = getpid();
	printf("pid %d's %s scheduling policy: %s%s\n", pid, which,
	       policy_name(attr.sched_policy),
	       attr.sched_flags & SCHED_FLAG_RESET_ON_FORK ?
	       "|SCHED_RESET_ON_FORK" : "");
	printf("pid %d's %s scheduling priority: %u\n", pid, which,
	       attr.sched_priority);
	if (attr.sched_policy == SCHED_DEADLINE)
		printf("pid %d's %s runtime/deadline/period parameters: "
		       "%lu/%lu/%lu\n", pid, which,
		       (unsigned long)attr.sched_runtime,
		       (unsigned long)attr.sched_deadline,
		       (unsigned long)attr.sched_period);
}

static long number(const char *text, const char *what)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (end == text || *end)
		errx(1, "invalid %s argument: '%s'", what, text);
	return value;
}

static void check(const struct sched_attr *attr)
{
	int policy = attr->sched_policy;

	if (policy != SCHED_DEADLINE &&
	    (attr->sched_runtime || attr->sched_deadline || attr->sched_period))
		errx(1, "--sched-{runtime,deadline,period} options are "
		     "supported for SCHED_DEADLINE only");
	if ((int)attr->sched_priority < sched_get_priority_min(policy) ||
	    (int)attr->sched_priority > sched_get_priority_max(policy))
		errx(1, "unsupported priority value for the policy: %d: "
		     "see --max for valid range", (int)attr->sched_priority);
}

/* What is not said of a deadline follows from what is. */
static void complete(struct sched_attr *attr)
{
	if (attr->sched_policy != SCHED_DEADLINE)
		return;
	if (!attr->sched_deadline)
		attr->sched_deadline = attr->sched_period;
	if (!attr->sched_runtime)
		attr->sched_runtime = attr->sched_deadline;
}

int main(int argc, char **argv)
{
	struct sched_attr attr = {
		.size = sizeof(attr),
		.sched_policy = SCHED_RR,
	};
	bool of_process = false, verbose = false;
	pid_t pid = 0;
	int option;

	while ((option = getopt_long(argc, argv, "+abdfiorRT:D:P:mpvh",
				     names)) != -1) {
		switch (option) {
		case 'a':
			break;
		case 'b':
			attr.sched_policy = SCHED_BATCH;
			break;
		case 'd':
			attr.sched_policy = SCHED_DEADLINE;
			break;
		case 'f':
			attr.sched_policy = SCHED_FIFO;
			break;
		case 'i':
			attr.sched_policy = SCHED_IDLE;
			break;
		case 'o':
			attr.sched_policy = SCHED_OTHER;
			break;
		case 'r':
			attr.sched_policy = SCHED_RR;
			break;
		case 'R':
			attr.sched_flags |= SCHED_FLAG_RESET_ON_FORK;
			break;
		case 'T':
			attr.sched_runtime = number(optarg, "runtime");
			break;
		case 'D':
			attr.sched_deadline = number(optarg, "deadline");
			break;
		case 'P':
			attr.sched_period = number(optarg, "period");
			break;
		case 'm':
			show_min_max();
			return 0;
		case 'p':
			of_process = true;
			break;
		case 'v':
			verbose = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			errx(1, "usage: chrt [OPTION]... PRIORITY COMMAND... "
			     "or chrt [OPTION]... -p [PRIORITY] PID");
		}
	}
	if (argc - optind < (of_process ? 1 : 2))
		errx(1, "bad usage");
	if (of_process) {
		pid = number(argv[argc - 1], "PID");
		if (argc - optind == 1 || verbose)
			show(pid, "current");
		if (argc - optind == 1)
			return 0;
	}
	attr.sched_priority = number(argv[optind], "priority");
	check(&attr);
	complete(&attr);
	if (sched_setattr(pid, &attr, 0) < 0)
		err(1, "failed to set pid %d's policy", pid);
	if (verbose)
		show(pid, "new");
	if (of_process)
		return 0;
	exec_or_exit(argv + optind + 1, "failed to execute %s");
}
