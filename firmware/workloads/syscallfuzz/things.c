/* SPDX-License-Identifier: GPL-2.0-only */
/* Files, folders and words that calls are about. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>
#include "fuzz.h"

#define TRACING	"/sys/kernel/tracing/"

static const char *const paths[] = {
	"/tmp", "/tmp/fuzz0", "/tmp/fuzz1", "/tmp/fuzz0/a", "/tmp/fuzz2/",
	"/tmp/fuzz3", "/tmp/disk", "/tmp/disk/fuzz0", "/tmp/disk/fuzz1",
	"/tmp/disk/fuzz1/a", "/tmp/disk/fuzz2", "/tmp/disk/many",
	"/dev/null", "/dev/ram0", "/dev/urandom", "/proc/self/status",
	"/proc/self/maps", "/proc/self/fd/3", "/proc/self/exe", "/proc/1/stat",
	"/proc/mounts", "/proc/sys/kernel/hostname", "/proc/self/fd", "/sys",
	"/sys/kernel", "/proc/thread-self/comm", "/tmp/fifo", "/proc/self/cwd",
	"/proc/self/environ", "/proc/uptime", "/proc/self/mountinfo", "", ".", "..", "/",
	"/tmp/../tmp/./fuzz1", "/nosuch/file", "/bin/true", "fuzz0",
	TRACING "set_ftrace_filter", TRACING "current_tracer",
	TRACING "events", TRACING "options/irq-info",
};

/* Opened once; the children inherit them. */
static const struct {
	const char *path;
	int flags;
} opened[] = {
	{ "/tmp/fuzz.file", O_RDWR | O_CREAT },
	{ "/tmp/disk/fuzz.file", O_RDWR | O_CREAT },
	{ "/tmp/disk/large", O_RDWR | O_APPEND },
	{ "/tmp", O_RDONLY | O_DIRECTORY },
	{ "/tmp/disk", O_RDONLY | O_DIRECTORY },
	{ "/dev/null", O_RDWR }, { "/dev/zero", O_RDWR },
	{ "/dev/full", O_RDWR }, { "/dev/urandom", O_RDWR },
	{ "/dev/ram0", O_RDONLY }, { "/dev/console", O_RDWR | O_NOCTTY },
	{ "/dev/kmsg", O_RDWR | O_NONBLOCK },
	{ "/proc/self/status", O_RDONLY }, { "/proc/self/maps", O_RDONLY },
	{ "/proc/self/stat", O_RDONLY }, { "/proc/kallsyms", O_RDONLY },
	{ "/proc/interrupts", O_RDONLY }, { "/proc/slabinfo", O_RDONLY },
	{ "/proc/meminfo", O_RDONLY }, { "/proc/stat", O_RDONLY },
	{ "/proc/mounts", O_RDONLY }, { "/proc/self/comm", O_RDWR },
	{ "/proc/self/cmdline", O_RDONLY }, { "/proc/self/fd", O_RDONLY },
	{ "/proc/diskstats", O_RDONLY }, { "/proc/modules", O_RDONLY },
	{ "/proc/sys/kernel/hostname", O_RDWR },
	{ "/proc/sys/kernel/pid_max", O_RDONLY },
	{ "/sys/module", O_RDONLY | O_DIRECTORY },
	{ "/proc", O_RDONLY | O_DIRECTORY }, { "/tmp/fifo", O_RDWR },
	{ "/lib/modules/sample_export.ko", O_RDONLY },
	{ "/lib/modules/sample_timer.ko", O_RDONLY },
	{ TRACING "trace", O_RDWR },
	{ TRACING "trace_pipe", O_RDONLY | O_NONBLOCK },
	{ TRACING "trace_marker", O_WRONLY },
	{ TRACING "current_tracer", O_RDWR },
	{ TRACING "set_ftrace_filter", O_RDWR },
	{ TRACING "set_graph_function", O_RDWR },
	{ TRACING "set_ftrace_pid", O_RDWR },
	{ TRACING "trace_options", O_RDWR },
	{ TRACING "tracing_on", O_RDWR },
	{ TRACING "max_graph_depth", O_RDWR },
};

/* What files may want to have written to them. */
static const char *const texts[] = {
	"0", "1\n", "nop", "function", "function_graph\n", "vfs_*", "!vfs_*",
	"sys_read sys_write", "*lock*:mod:sample_timer", "no-such-thing",
	"noirq-info", "func_stack_trace", "-1", "99999999999999999999",
	"load_only", "period=2 bogus", "errors=remount-ro", "ro,size=1",
	"<3>fuzz: a message\n", "\t \n\n", "#!/bin/true\n",
};

static struct termios settings;
static int descriptors, console = -1;

void make_things(void)
{
	int ends[2];

	mkdir("/tmp/disk", 0755);
	mount("/dev/ram0", "/tmp/disk", "ext2", 0, NULL);
	mkdir("/tmp/fuzz1", 0755);
	mkdir("/tmp/disk/fuzz1", 0755);
	mknod("/tmp/fifo", S_IFIFO | 0600, 0);
	for (size_t i = 0; i < COUNT_OF(opened); i++) {
		int fd = open(opened[i].path, opened[i].flags, 0644);

		if (fd >= 0 && !strcmp(opened[i].path, "/dev/console"))
			console = fd;
		if (fd >= descriptors)
			descriptors = fd + 1;
	}
	for (int i = 0; i < 2; i++)
		if (!pipe2(ends, O_NONBLOCK * i))
			descriptors = ends[1] + 1;
	tcgetattr(console, &settings);
}

/* What children do to it is not to be in the way of what we say. */
void restore_terminal(void)
{
	if (!isatty(console))
		return;
	tcsetattr(console, TCSANOW, &settings);
	ioctl(console, TCXONC, 1);
	tcsetpgrp(console, getpgid(0));
}

int some_descriptor(struct fuzzer *f)
{
	return below(f, descriptors + 4);
}

const char *some_path(struct fuzzer *f)
{
	return paths[below(f, COUNT_OF(paths))];
}

void copy_text(struct fuzzer *f, char *to, size_t size)
{
	snprintf(to, size, "%s", texts[below(f, COUNT_OF(texts))]);
}
