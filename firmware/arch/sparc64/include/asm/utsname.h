/* SPDX-License-Identifier: GPL-2.0-only */
/* What uname(2) calls this machine. */
#ifndef _ASM_SPARC_UTSNAME_H
#define _ASM_SPARC_UTSNAME_H

#define UTS_MACHINE	"sparc64"

#endif
