/* SPDX-License-Identifier: GPL-2.0-only */
/* SPARC: the constants and structures of Linux that differ between ports. */
#ifndef ARCH_ABI_H
#define ARCH_ABI_H

#define O_APPEND	0x0008
#define O_CREAT		0x0200
#define O_TRUNC		0x0400
#define O_EXCL		0x0800
#define O_DSYNC		0x2000
#define O_NONBLOCK	0x4000
#define O_NOCTTY	0x8000
#define O_DIRECTORY	0x10000
#define O_NOFOLLOW	0x20000
#define O_DIRECT	0x100000
#define O_CLOEXEC	0x400000
#define O_SYNC		0x802000

#define MAP_SHARED	1
#define MAP_PRIVATE	2
#define MAP_FIXED	0x10
#define MAP_ANONYMOUS	0x20
#define MAP_GROWSDOWN	0x0200

#define EOPNOTSUPP	45
#define EADDRINUSE	48
#define ENOBUFS		55
#define ETIMEDOUT	60
#define ELOOP		62
#define ECANCELED	127
#define ENAMETOOLONG	63
#define ENOTEMPTY	66
#define EUSERS		68
#define EDQUOT		69
#define ESTALE		70
#define ETIME		73
#define VINTR		0
#define VQUIT		1
#define VERASE		2
#define VKILL		3
#define VEOF		4
#define VSTART		8
#define VSTOP		9
#define VSUSP		10
#define VREPRINT	12
#define VDISCARD	13
#define VWERASE		14
#define VLNEXT		15
#define VEOL		5
#define VMIN		VEOF
#define VTIME		VEOL
#define TCGETS		0x40245408
#define TCSETS		0x80245409
#define TCSETSW		0x8024540a
#define TCSETSF		0x8024540b
#define TCFLSH		0x20005407
#define TCXONC		0x20005406
#define TIOCSCTTY	0x20007484
#define TIOCGPGRP	0x40047483
#define TIOCSPGRP	0x80047482
#define TIOCGWINSZ	0x40087468
#define TIOCSWINSZ	0x80087467
#define FIONREAD	0x4004667f
#define TIOCNOTTY	0x20007471
#define TIOCGSID	0x40047485

#define EDEADLK		78
#define ENOLCK		79
#define ENOSYS		90
#define EOVERFLOW	92
#define ENODATA		111
#define EUCLEAN		117
#define EILSEQ		122

#define SIGEMT		7
#define SIGBUS		10
#define SIGSYS		12
#define SIGURG		16
#define SIGSTOP		17
#define SIGTSTP		18
#define SIGCONT		19
#define SIGCHLD		20
#define SIGTTIN		21
#define SIGTTOU		22
#define SIGIO		23
#define SIGXCPU		24
#define SIGXFSZ		25
#define SIGVTALRM	26
#define SIGPROF		27
#define SIGWINCH	28
#define SIGPWR		29
#define SIGUSR1		30
#define SIGUSR2		31

#define SIG_BLOCK	1
#define SIG_UNBLOCK	2
#define SIG_SETMASK	4

#define SA_ONSTACK	0x001
#define SA_RESTART	0x002
#define SA_RESETHAND	0x004
#define SA_NOCLDSTOP	0x008
#define SA_NODEFER	0x020
#define SA_NOCLDWAIT	0x100
#define SA_SIGINFO	0x200

typedef int suseconds_t;

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
