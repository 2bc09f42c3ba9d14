/* SPDX-License-Identifier: GPL-2.0-only */
/* SPARC: the constants and structures of Linux that differ between ports. */
#ifndef ARCH_ABI_H
#define ARCH_ABI_H

#define O_APPEND	0x0008
#define O_CREAT		0x0200
#define O_TRUNC		0x0400
#define O_DIRECTORY	0x10000
#define O_CLOEXEC	0x400000

#define ELOOP		62
#define ENAMETOOLONG	63
#define ENOTEMPTY	66
#define EDEADLK		78
#define ENOSYS		90

#define SIGBUS		10
#define SIGSYS		12
#define SIGSTOP		17
#define SIGTSTP		18
#define SIGCONT		19
#define SIGCHLD		20
#define SIGUSR1		30
#define SIGUSR2		31

/* Linux's struct stat64, which fstatat64() fills in. */
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
