/* SPDX-License-Identifier: GPL-2.0-only */
/* One function for each system call: -errno becomes -1 and errno. */
#include <errno.h>
#include <fcntl.h>
#include <kmod.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
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

off_t lseek(int fd, off_t offset, int whence)
{
	return call(SYS_lseek, fd, offset, whence, 0);
}

ssize_t pread(int fd, void *buffer, size_t size, off_t offset)
{
	return call(SYS_pread64, fd, (long)buffer, size, offset);
}

ssize_t pwrite(int fd, const void *buffer, size_t size, off_t offset)
{
	return call(SYS_pwrite64, fd, (long)buffer, size, offset);
}

int ftruncate(int fd, off_t length)
{
	return call(SYS_ftruncate, fd, length, 0, 0);
}

int fsync(int fd)
{
	return call(SYS_fsync, fd, 0, 0, 0);
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	long argument;

	va_start(args, request);
	argument = va_arg(args, long);
	va_end(args);
	return call(SYS_ioctl, fd, request, argument, 0);
}

int isatty(int fd)
{
	char settings[64];

	return ioctl(fd, TCGETS, settings) == 0;
}

int close(int fd)
{
	return call(SYS_close, fd, 0, 0, 0);
}

int dup2(int from, int to)
{
	return result(arch_dup2(from, to));
}

int fcntl(int fd, int command, long argument)
{
	return call(SYS_fcntl, fd, command, argument, 0);
}

int pipe2(int fds[2], int flags)
{
	return call(SYS_pipe2, (long)fds, flags, 0, 0);
}

int pipe(int fds[2])
{
	return pipe2(fds, 0);
}

int chdir(const char *path)
{
	return call(SYS_chdir, (long)path, 0, 0, 0);
}

char *getcwd(char *buffer, size_t size)
{
	return call(SYS_getcwd, (long)buffer, size, 0, 0) < 0 ? NULL : buffer;
}

int access(const char *path, int mode)
{
	return call(SYS_faccessat, AT_FDCWD, (long)path, mode, 0);
}

int mkdir(const char *path, mode_t mode)
{
	return call(SYS_mkdirat, AT_FDCWD, (long)path, mode, 0);
}

int rmdir(const char *path)
{
	return call(SYS_unlinkat, AT_FDCWD, (long)path, AT_REMOVEDIR, 0);
}

int mknod(const char *path, mode_t mode, dev_t dev)
{
	return call(SYS_mknodat, AT_FDCWD, (long)path, mode, dev);
}

int chmod(const char *path, mode_t mode)
{
	return call(SYS_fchmodat, AT_FDCWD, (long)path, mode, 0);
}

int fchmod(int fd, mode_t mode)
{
	return call(SYS_fchmod, fd, mode, 0, 0);
}

mode_t umask(mode_t mask)
{
	return call(SYS_umask, mask, 0, 0, 0);
}

int link(const char *from, const char *to)
{
	return result(arch_syscall6(SYS_linkat, AT_FDCWD, (long)from, AT_FDCWD,
				    (long)to, 0, 0));
}

int symlink(const char *target, const char *path)
{
	return call(SYS_symlinkat, (long)target, AT_FDCWD, (long)path, 0);
}

int rename(const char *from, const char *to)
{
	return call(SYS_renameat, AT_FDCWD, (long)from, AT_FDCWD, (long)to);
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

int fstat(int fd, struct stat *st)
{
	return call(SYS_fstat, fd, (long)st, 0, 0);
}

pid_t fork(void)
{
	return result(arch_fork());
}

pid_t getpid(void)
{
	return call(SYS_getpid, 0, 0, 0, 0);
}

pid_t gettid(void)
{
	return call(SYS_gettid, 0, 0, 0, 0);
}

int pause(void)
{
	return result(arch_pause());
}

pid_t tcgetpgrp(int fd)
{
	pid_t group;

	return ioctl(fd, TIOCGPGRP, &group) < 0 ? -1 : group;
}

int tcsetpgrp(int fd, pid_t group)
{
	return ioctl(fd, TIOCSPGRP, &group);
}

pid_t getppid(void)
{
	return call(SYS_getppid, 0, 0, 0, 0);
}

pid_t getpgid(pid_t pid)
{
	return call(SYS_getpgid, pid, 0, 0, 0);
}

int setpgid(pid_t pid, pid_t group)
{
	return call(SYS_setpgid, pid, group, 0, 0);
}

pid_t setsid(void)
{
	return call(SYS_setsid, 0, 0, 0, 0);
}

uid_t geteuid(void)
{
	return call(SYS_geteuid, 0, 0, 0, 0);
}

gid_t getegid(void)
{
	return call(SYS_getegid, 0, 0, 0, 0);
}

int sched_yield(void)
{
	return call(SYS_sched_yield, 0, 0, 0, 0);
}

int uname(struct utsname *names)
{
	return call(SYS_uname, (long)names, 0, 0, 0);
}

int execve(const char *path, char *const argv[], char *const envp[])
{
	return call(SYS_execve, (long)path, (long)argv, (long)envp, 0);
}

pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	return call(SYS_wait4, pid, (long)status, options, (long)usage);
}

int getrusage(int who, struct rusage *usage)
{
	return call(SYS_getrusage, who, (long)usage, 0, 0);
}

int getrlimit(int resource, struct rlimit *limit)
{
	return call(SYS_getrlimit, resource, (long)limit, 0, 0);
}

int setrlimit(int resource, const struct rlimit *limit)
{
	return call(SYS_setrlimit, resource, (long)limit, 0, 0);
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	return wait4(pid, status, options, NULL);
}

pid_t wait(int *status)
{
	return waitpid(-1, status, 0);
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

void *mmap(void *address, size_t size, int protection, int flags, int fd,
	   off_t offset)
{
	return (void *)result(arch_syscall6(SYS_mmap, (long)address, size,
					    protection, flags, fd, offset));
}

int munmap(void *address, size_t size)
{
	return call(SYS_munmap, (long)address, size, 0, 0);
}

int mprotect(void *address, size_t size, int protection)
{
	return call(SYS_mprotect, (long)address, size, protection, 0);
}

int init_module(const void *image, size_t size, const char *parameters)
{
	return call(SYS_init_module, (long)image, size, (long)parameters, 0);
}

int finit_module(int fd, const char *parameters, int flags)
{
	return call(SYS_finit_module, fd, (long)parameters, flags, 0);
}

int delete_module(const char *name, unsigned int flags)
{
	return call(SYS_delete_module, (long)name, flags, 0, 0);
}

void _exit(int status)
{
	for (;;)
		arch_syscall(SYS_exit_group, status, 0, 0, 0);
}
