/* SPDX-License-Identifier: GPL-2.0-only */
/* How a terminal treats what is typed and written. */
#ifndef _UAPI_LINUX_TERMIOS_H
#define _UAPI_LINUX_TERMIOS_H

#include <asm/termbits.h>

struct winsize {
	unsigned short ws_row;
	unsigned short ws_col;
	unsigned short ws_xpixel;
	unsigned short ws_ypixel;
};

#define IGNBRK	0x001
#define BRKINT	0x002
#define ISTRIP	0x020
#define INLCR	0x040
#define IGNCR	0x080
#define ICRNL	0x100
#define IUCLC	0x200
#define IXON	0x400
#define IXANY	0x800
#define IMAXBEL	0x2000

#define OPOST	0x01
#define ONLCR	0x04
#define OCRNL	0x08
#define ONOCR	0x10
#define ONLRET	0x20

#define CS8	0x30
#define CREAD	0x80
#define HUPCL	0x400
#define CLOCAL	0x800
#define B38400	0xf
#define B115200	0x1002

#define ISIG	0x0001
#define ICANON	0x0002
#define ECHO	0x0008
#define ECHOE	0x0010
#define ECHOK	0x0020
#define ECHONL	0x0040
#define NOFLSH	0x0080
#define TOSTOP	0x0100
#define ECHOCTL	0x0200
#define ECHOPRT	0x0400
#define ECHOKE	0x0800
#define IEXTEN	0x8000

#define TCOOFF	0
#define TCOON	1
#define TCIOFF	2
#define TCION	3

#define TCIFLUSH	0
#define TCOFLUSH	1
#define TCIOFLUSH	2

#endif
