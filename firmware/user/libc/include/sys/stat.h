/* SPDX-License-Identifier: GPL-2.0-only */
/* What is known of a file. */
#ifndef SYS_STAT_H
#define SYS_STAT_H

#include <abi.h>
#include <sys/types.h>
#include <time.h>

#define S_IFMT		0170000
#define S_IFIFO		0010000
#define S_IFCHR		0020000
#define S_IFDIR		0040000
#define S_IFBLK		0060000
#define S_IFREG		0100000
#define S_IFLNK		0120000
#define S_IFSOCK	0140000

#define S_ISUID		04000
#define S_ISGID		02000
#define S_ISVTX		01000

#define S_ISDIR(mode)	(((mode) & S_IFMT) == S_IFDIR)
#define S_ISREG(mode)	(((mode) & S_IFMT) == S_IFREG)
#define S_ISLNK(mode)	(((mode) & S_IFMT) == S_IFLNK)
#define S_ISCHR(mode)	(((mode) & S_IFMT) == S_IFCHR)
#define S_ISFIFO(mode)	(((mode) & S_IFMT) == S_IFIFO)
#define S_ISSOCK(mode)	(((mode) & S_IFMT) == S_IFSOCK)
#define S_ISBLK(mode)	(((mode) & S_IFMT) == S_IFBLK)

int stat(const char *path, struct stat *st);
int fstat(int fd, struct stat *st);
int lstat(const char *path, struct stat *st);

int mkdir(const char *path, mode_t mode);
int mknod(const char *path, mode_t mode, dev_t dev);
int chmod(const char *path, mode_t mode);
int fchmod(int fd, mode_t mode);
mode_t umask(mode_t mask);
int mkfifo(const char *path, mode_t mode);

/* tv_nsec: the time now; the time as it is */
#define UTIME_NOW	((1l << 30) - 1)
#define UTIME_OMIT	((1l << 30) - 2)
int utimensat(int folder, const char *path, const struct timespec times[2],
	      int flags);

#endif
