/* SPDX-License-Identifier: GPL-2.0-only */
/* x86-64: the constants and structures of Linux that differ between ports. */
#ifndef ARCH_ABI_H
#define ARCH_ABI_H

#define O_CREAT		00000100
#define O_TRUNC		00001000
#define O_APPEND	00002000
#define O_DIRECTORY	00200000
#define O_CLOEXEC	02000000

#define EDEADLK		35
#define ENAMETOOLONG	36
#define ENOSYS		38
#define ENOTEMPTY	39
#define ELOOP		40

#define SIGBUS		7
#define SIGUSR1		10
#define SIGUSR2		12
#define SIGCHLD		17
#define SIGCONT		18
#define SIGSTOP		19
#define SIGTSTP		20
#define SIGSYS		31

struct stat {
	unsigned long	st_dev;
	unsigned long	st_ino;
	unsigned long	st_nlink;
	unsigned int	st_mode;
	unsigned int	st_uid;
	unsigned int	st_gid;
	unsigned int	__pad0;
	unsigned long	st_rdev;
	long		st_size;
	long		st_blksize;
	long		st_blocks;
	long		st_atime;
	unsigned long	st_atime_nsec;
	long		st_mtime;
	unsigned long	st_mtime_nsec;
	long		st_ctime;
	unsigned long	st_ctime_nsec;
	long		__unused[3];
};

#endif
