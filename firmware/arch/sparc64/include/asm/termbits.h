/* SPDX-License-Identifier: GPL-2.0-only */
/* What of terminals ports do not agree on, as SPARC has it. */
#ifndef _ASM_TERMBITS_H
#define _ASM_TERMBITS_H

#define NCCS	19

/* User space sees 17 of the control characters. */
struct ktermios {
	unsigned int c_iflag;
	unsigned int c_oflag;
	unsigned int c_cflag;
	unsigned int c_lflag;
	unsigned char c_line;
	unsigned char c_cc[NCCS];
};

/* The same, with speeds. */
struct ktermios2 {
	struct ktermios termios;
	unsigned int c_ispeed;
	unsigned int c_ospeed;
};

#define VINTR		0
#define VQUIT		1
#define VERASE		2
#define VKILL		3
#define VEOF		4
#define VEOL		5
#define VEOL2		6
#define VSWTC		7
#define VSTART		8
#define VSTOP		9
#define VSUSP		10
#define VDSUSP		11
#define VREPRINT	12
#define VDISCARD	13
#define VWERASE		14
#define VLNEXT		15
/* To user space these are VEOF and VEOL, without ICANON. */
#define VMIN		17
#define VTIME		18

#define TCGETS		0x40245408
#define TCSETS		0x80245409
#define TCSETSW		0x8024540a
#define TCSETSF		0x8024540b
#define TCGETS2		0x402c540c
#define TCSETS2		0x802c540d
#define TCSETSW2	0x802c540e
#define TCSETSF2	0x802c540f
#define TCSBRK		0x20005405
#define TCXONC		0x20005406
#define TCFLSH		0x20005407
#define TIOCSCTTY	0x20007484
#define TIOCGPGRP	0x40047483
#define TIOCSPGRP	0x80047482
#define TIOCOUTQ	0x40047473
#define TIOCGWINSZ	0x40087468
#define TIOCSWINSZ	0x80087467
#define FIONREAD	0x4004667f
#define TIOCNOTTY	0x20007471
#define TCSBRKP		0x5425
#define TIOCGSID	0x40047485

/* User space has 17 control characters; two of them mean two things. */
#define USER_TERMIOS_SIZE	34

#define termios_to_user(t) do {						\
	if (!((t)->c_lflag & 0x2)) {	/* ICANON */			\
		(t)->c_cc[VEOF] = (t)->c_cc[VMIN];			\
		(t)->c_cc[VEOL] = (t)->c_cc[VTIME];			\
	}								\
} while (0)

#define termios_from_user(t) do {					\
	if (!((t)->c_lflag & 0x2)) {					\
		(t)->c_cc[VMIN] = (t)->c_cc[VEOF];			\
		(t)->c_cc[VTIME] = (t)->c_cc[VEOL];			\
	}								\
} while (0)

#endif
