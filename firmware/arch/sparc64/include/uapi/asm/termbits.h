/* SPDX-License-Identifier: GPL-2.0-only */
/* Control characters of terminals, and their requests, as SPARC has them. */
#ifndef _UAPI_ASM_TERMBITS_H
#define _UAPI_ASM_TERMBITS_H

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
#define VMIN		VEOF	/* without ICANON */
#define VTIME		VEOL

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
#define FIOCLEX		0x20006601
#define FIONCLEX	0x20006602
#define FIONBIO		0x8004667e
#define FIONREAD	0x4004667f
#define TIOCNOTTY	0x20007471
#define TCSBRKP		0x5425
#define TIOCGSID	0x40047485

#endif
