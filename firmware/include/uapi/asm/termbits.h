/* SPDX-License-Identifier: GPL-2.0-only */
/* Control characters of terminals, and their requests, on most ports. */
#ifndef _UAPI_ASM_TERMBITS_H
#define _UAPI_ASM_TERMBITS_H

#define VINTR		0
#define VQUIT		1
#define VERASE		2
#define VKILL		3
#define VEOF		4
#define VTIME		5
#define VMIN		6
#define VSWTC		7
#define VSTART		8
#define VSTOP		9
#define VSUSP		10
#define VEOL		11
#define VREPRINT	12
#define VDISCARD	13
#define VWERASE		14
#define VLNEXT		15
#define VEOL2		16

#define TCGETS		0x5401
#define TCSETS		0x5402
#define TCSETSW		0x5403
#define TCSETSF		0x5404
#define TCSBRK		0x5409
#define TCXONC		0x540a
#define TCFLSH		0x540b
#define TIOCSCTTY	0x540e
#define TIOCGPGRP	0x540f
#define TIOCSPGRP	0x5410
#define TIOCOUTQ	0x5411
#define TIOCGWINSZ	0x5413
#define TIOCSWINSZ	0x5414
#define FIONREAD	0x541b
#define FIONBIO		0x5421
#define TIOCNOTTY	0x5422
#define TCSBRKP		0x5425
#define TIOCGSID	0x5429
#define FIONCLEX	0x5450
#define FIOCLEX		0x5451
#define TCGETS2		0x802c542a
#define TCSETS2		0x402c542b
#define TCSETSW2	0x402c542c
#define TCSETSF2	0x402c542d

#endif
