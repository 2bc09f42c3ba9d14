/* SPDX-License-Identifier: GPL-2.0-only */
/* uname: what this system calls itself. */
#include <linux/syscalls.h>
#include <linux/uaccess.h>
#include <linux/utsname.h>
#include <asm/utsname.h>

static const struct new_utsname init_uts_ns = {
	.sysname	= UTS_SYSNAME,
	.nodename	= UTS_NODENAME,
	.release	= UTS_RELEASE,
	.version	= UTS_VERSION,
	.machine	= UTS_MACHINE,
	.domainname	= UTS_DOMAINNAME,
};

SYSCALL_DEFINE1(newuname, struct new_utsname __user *, name)
{
	return copy_to_user(name, &init_uts_ns, sizeof(*name)) ? -EFAULT : 0;
}
