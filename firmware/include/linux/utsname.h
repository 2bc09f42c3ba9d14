/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of this system. */
#ifndef _LINUX_UTSNAME_H
#define _LINUX_UTSNAME_H

#define __NEW_UTS_LEN	64

#define UTS_SYSNAME	"Linux"
#define UTS_NODENAME	"emu"
#define UTS_RELEASE	"6.1.0-emu"
#define UTS_VERSION	"#1 SMP PREEMPT"
#define UTS_DOMAINNAME	"(none)"

struct new_utsname {
	char sysname[__NEW_UTS_LEN + 1];
	char nodename[__NEW_UTS_LEN + 1];
	char release[__NEW_UTS_LEN + 1];
	char version[__NEW_UTS_LEN + 1];
	char machine[__NEW_UTS_LEN + 1];
	char domainname[__NEW_UTS_LEN + 1];
};

extern const char linux_banner[];
extern const char linux_proc_banner[];

struct new_utsname *utsname(void);

#endif
