/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * linux-init: the first process of a Linux, /.emu/init of its initramfs. It
 * mounts what programs expect and becomes the agent that runs the host's
 * commands. With init=PROGRAM on the kernel's command line, the agent is a
 * child, and PROGRAM becomes process 1.
 */
#include "agent.h"

#include <err.h>
#include <errno.h>
#include <exec.h>
#include <fcntl.h>
#include <limits.h>
#include <linux_abi.h>
#include <proc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <syscall.h>
#include <time.h>
#include <unistd.h>

#define BUSYBOX		"/.emu/busybox"
#define COMMAND_LINE	4096
#define SEARCH_PATH \
	"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

#define AF_INET		2
#define SOCK_DGRAM	2
#define SIOCSIFFLAGS	0x8914
#define IFF_UP		1

#define REBOOT_MAGIC1	0xfee1deadUL
#define REBOOT_MAGIC2	672274793
#define REBOOT_RESTART	0x01234567
#define REBOOT_HALT	0xcdef0123UL
#define REBOOT_OFF	0x4321fedc

/* Before init may have opened the console: others get no number below 3. */
static void open_standard_files(void)
{
	int fd;

	do {
		fd = open("/dev/console", O_RDWR | O_NOCTTY);
		if (fd < 0)
			fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* Whatever of these the kernel has; a distribution's init mounts its own. */
static void mount_all(bool has_other_init)
{
	static const struct {
		const char *type, *where, *options;
		bool is_inits;
	} mounts[] = {
		{ "sysfs", "/sys", NULL, false },
		{ "devtmpfs", "/dev", "mode=755", false },
		{ "devpts", "/dev/pts", "gid=5,mode=620,ptmxmode=666", false },
		{ "tmpfs", "/dev/shm", "mode=1777", false },
		{ "tmpfs", "/run", "mode=755", true },
		{ "tmpfs", "/tmp", "mode=1777", true },
		{ "tracefs", "/sys/kernel/tracing", NULL, false },
		{ "debugfs", "/sys/kernel/debug", NULL, false },
	};

	for (unsigned int i = 0; i < sizeof(mounts) / sizeof(*mounts); i++) {
		if (has_other_init && mounts[i].is_inits)
			continue;
		mkdir(mounts[i].where, 0755);
		mount(mounts[i].type, mounts[i].where, mounts[i].type, 0,
		      mounts[i].options);
	}
}

static void make_links(void)
{
	symlink("/proc/self/fd", "/dev/fd");
	symlink("/proc/self/fd/0", "/dev/stdin");
	symlink("/proc/self/fd/1", "/dev/stdout");
	symlink("/proc/self/fd/2", "/dev/stderr");
}

/* A tree without a shell gets busybox's programs; those it has, it keeps. */
static void install_busybox(void)
{
	static char *const argv[] = {
		(char *)BUSYBOX, (char *)"--install", (char *)"-s",
		(char *)"/bin", NULL,
	};
	pid_t pid;

	if (access("/bin/sh", F_OK) == 0 || access(BUSYBOX, X_OK) < 0)
		return;
	mkdir("/bin", 0755);
	pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		/* It complains of each program that is there already. */
		dup2(null, STDERR_FILENO);
		execve(BUSYBOX, argv, environ);
		_exit(1);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

/* Linux gives lo its address itself. */
static void bring_up_loopback(void)
{
	struct {
		char name[16];
		short flags;
		char rest[22];
	} request = { "lo", IFF_UP, "" };
	int fd = arch_syscall(SYS_socket, AF_INET, SOCK_DGRAM, 0, 0);

	if (fd < 0)
		return;
	ioctl(fd, SIOCSIFFLAGS, &request);
	close(fd);
}

/* The last PROGRAM of init=PROGRAM, in static memory; NULL: there is none. */
static char *other_init(void)
{
	static char line[COMMAND_LINE];
	char *rest = line, *word, *found = NULL;

	read_proc("/proc/cmdline", line, sizeof(line));
	while ((word = strsep(&rest, " \n")) && strcmp(word, "--"))
		if (!strncmp(word, "init=", 5) && word[5])
			found = word + 5;
	return found;
}

static void make_environment(void)
{
	struct stat st;

	setenv("PATH", SEARCH_PATH, 0);
	setenv("HOME", stat("/root", &st) == 0 && S_ISDIR(st.st_mode) ?
		       "/root" : "/", 1);
	setenv("USER", "root", 0);
}

void end_machine(int signal)
{
	static const struct timespec moment = { .tv_nsec = 100000000 };
	unsigned long how = signal == SIGUSR1 ? REBOOT_HALT :
			    signal == SIGUSR2 ? REBOOT_OFF : REBOOT_RESTART;

	kill(-1, SIGTERM);
	nanosleep(&moment, NULL);
	kill(-1, SIGKILL);
	sync();
	arch_syscall(SYS_reboot, REBOOT_MAGIC1, REBOOT_MAGIC2, how, 0);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	char *program;

	(void)argc;
	interpreter_advice = "--rootfs puts it there";
	mkdir("/proc", 0555);
	mount("proc", "/proc", "proc", 0, NULL);
	program = other_init();
	mount_all(program);
	open_standard_files();
	make_links();
	install_busybox();
	bring_up_loopback();
	if (program && fork() > 0) {
		argv[0] = program;
		execve(program, argv, environ);
		err(1, "%s", program);
	}
	if (program) {
		setsid();
		/* systemd ends all processes but those with such a name. */
		argv[0][0] = '@';
	}
	make_environment();
	serve(!program);
}
