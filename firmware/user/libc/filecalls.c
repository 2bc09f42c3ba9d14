/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls on owners and times of files, and FIFOs. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <syscall.h>
#include <time.h>
#include <unistd.h>

static int result(long value)
{
	if (value < 0) {
		errno = -value;
		return -1;
	}
	return value;
}

int utimensat(int folder, const char *path, const struct timespec times[2],
	      int flags)
{
	return result(arch_syscall(SYS_utimensat, folder, (long)path,
				   (long)times, flags));
}

int lchown(const char *path, uid_t user, gid_t group)
{
	return result(arch_syscall6(SYS_fchownat, AT_FDCWD, (long)path, user,
				    group, AT_SYMLINK_NOFOLLOW, 0));
}

int chown(const char *path, uid_t user, gid_t group)
{
	return result(arch_syscall6(SYS_fchownat, AT_FDCWD, (long)path, user,
				    group, 0, 0));
}

int mkfifo(const char *path, mode_t mode)
{
	return mknod(path, mode | S_IFIFO, 0);
}

void sync(void)
{
	arch_syscall(SYS_sync, 0, 0, 0, 0);
}
