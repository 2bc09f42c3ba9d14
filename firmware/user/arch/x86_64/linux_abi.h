/* SPDX-License-Identifier: GPL-2.0-only */
/* x86-64: what Linux has and emu's own kernel does not, for linux-init. */
#ifndef LINUX_ABI_H
#define LINUX_ABI_H

#define SYS_socket	41
#define SYS_reboot	169

#define TIOCSPTLCK	0x40045431
#define TIOCGPTPEER	0x5441

#endif
