/* SPDX-License-Identifier: GPL-2.0-only */
/* One function for each system call: -errno becomes -1 and errno. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <syscall.h>
#include <time.h>
#include <unistd.h>

int errno;

static long result(long value)
{
	if ((unsigned long)value > -4096UL) {
		errno = -value;
		return -1;
	}
	return value;
}

static long call(long nr, long a, long b, long c, long d)
{
	return result(arch_syscall(nr, a, b, c, d));
}

int open(const char *path, int flags, ...)
{
	mode_t mode = 0;

	if (flags & O_CREAT) {
		va_list args;

		va_start(args, flags);
		mode = va_arg(args, mode_t);
		va_end(args);
	}
	return call(SYS_openat, AT_FDCWD, (long)path, flags, mode);
}

ssize_t read(int fd, void *buffer, size_t size)
{
	return call(SYS_read, fd, (long)buffer, size, 0);
}

ssize_t write(int fd, const void *buffer, size_t size)
{
	return call(SYS_write, fd, (long)buffer, size, 0);
}

int write_all(int fd, const void *buffer, size_t size)
{
	const char *from = buffer;

	while (size > 0) {
		ssize_t done = write(fd, from, size);

		if (done < 0)
			return -1;
		from += done;
		size -= done;
	}
	return 0;
}

int close(int fd)
{
	return call(SYS_close, fd, 0, 0, 0);
}

int dup2(int from, int to)
{
	return call(SYS_dup2, from, to, 0, 0);
}

int fcntl(int fd, int command, long argument)
{
	return call(SYS_fcntl, fd, command, argument, 0);
}

int pipe(int fds[2])
{
	return call(SYS_pipe2, (long)fds, 0, 0, 0);
}

int chdir(const char *path)
{
	return call(SYS_chdir, (long)path, 0, 0, 0);
}

int unlink(const char *path)
{
	return call(SYS_unlinkat, AT_FDCWD, (long)path, 0, 0);
}

ssize_t readlink(const char *path, char *buffer, size_t size)
{
	return call(SYS_readlinkat, AT_FDCWD, (long)path, (long)buffer, size);
}

int stat(const char *path, struct stat *st)
{
	return call(SYS_newfstatat, AT_FDCWD, (long)path, (long)st, 0);
}

int lstat(const char *path, struct stat *st)
{
	return call(SYS_newfstatat, AT_FDCWD, (long)path, (long)st,
		    AT_SYMLINK_NOFOLLOW);
}

pid_t fork(void)
{
	return result(arch_fork());
}

pid_t getpid(void)
{
	return call(SYS_getpid, 0, 0, 0, 0);
}

int execve(const char *path, char *const argv[], char *const envp[])
{
	return call(SYS_execve, (long)path, (long)argv, (long)envp, 0);
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	return call(SYS_wait4, pid, (long)status, options, 0);
}

int kill(pid_t pid, int signal)
{
	return call(SYS_kill, pid, signal, 0, 0);
}

int clock_gettime(int clock, struct timespec *ts)
{
	return call(SYS_clock_gettime, clock, (long)ts, 0, 0);
}

int nanosleep(const struct timespec *ts, struct timespec *left)
{
	return call(SYS_nanosleep, (long)ts, (long)left, 0, 0);
}

void _exit(int status)
{
	for (;;)
		arch_syscall(SYS_exit_group, status, 0, 0, 0);
}
