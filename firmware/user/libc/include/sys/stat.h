/* SPDX-License-Identifier: GPL-2.0-only */
/* What is known of a file. */
#ifndef SYS_STAT_H
#define SYS_STAT_H

#include <linux/stat.h>
#include <sys/types.h>
#include <time.h>

int stat(const char *path, struct stat *st);
int fstat(int fd, struct stat *st);
int lstat(const char *path, struct stat *st);

int mkdir(const char *path, mode_t mode);
int mknod(const char *path, mode_t mode, dev_t dev);
int chmod(const char *path, mode_t mode);
int fchmod(int fd, mode_t mode);
mode_t umask(mode_t mask);
int mkfifo(const char *path, mode_t mode);

int utimensat(int folder, const char *path, const struct timespec times[2],
	      int flags);

#endif
