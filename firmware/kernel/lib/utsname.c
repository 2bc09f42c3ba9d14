/* SPDX-License-Identifier: GPL-2.0-only */
/* uname, sethostname and setdomainname: what this system calls itself. */
#include <linux/rwsem.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/sysctl.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/uaccess.h>
#include <linux/utsname.h>

#define BUILT_BY	"(emu@emu) (gcc)"

const char linux_banner[] =
	UTS_SYSNAME " version " UTS_RELEASE " " BUILT_BY " " UTS_VERSION "\n";

/* /proc/version: the system, its release and its version are put in. */
const char linux_proc_banner[] = "%s version %s " BUILT_BY " %s\n";

static struct new_utsname init_uts_ns = {
	.sysname	= UTS_SYSNAME,
	.nodename	= UTS_NODENAME,
	.release	= UTS_RELEASE,
	.version	= UTS_VERSION,
	.machine	= UTS_MACHINE,
	.domainname	= UTS_DOMAINNAME,
};

static DECLARE_RWSEM(uts_sem);

struct new_utsname *utsname(void)
{
	return &init_uts_ns;
}

SYSCALL_DEFINE1(newuname, struct new_utsname __user *, name)
{
	struct new_utsname tmp;

	down_read(&uts_sem);
	tmp = init_uts_ns;
	up_read(&uts_sem);
	return copy_to_user(name, &tmp, sizeof(tmp)) ? -EFAULT : 0;
}

static int set_name(char *field, const char __user *name, int len)
{
	char tmp[__NEW_UTS_LEN + 1] = {};

	if (len < 0 || len > __NEW_UTS_LEN)
		return -EINVAL;
	if (copy_from_user(tmp, name, len))
		return -EFAULT;
	down_write(&uts_sem);
	memcpy(field, tmp, sizeof(tmp));
	up_write(&uts_sem);
	return 0;
}

SYSCALL_DEFINE2(sethostname, char __user *, name, int, len)
{
	return set_name(init_uts_ns.nodename, name, len);
}

SYSCALL_DEFINE2(setdomainname, char __user *, name, int, len)
{
	return set_name(init_uts_ns.domainname, name, len);
}

/* A name in /proc/sys/kernel. */
static int proc_do_uts_string(struct ctl_table *table, int write, void *buffer,
			      size_t *lenp, loff_t *ppos)
{
	char tmp[__NEW_UTS_LEN + 1];
	struct ctl_table copy = *table;
	int err;

	copy.data = tmp;
	down_read(&uts_sem);
	memcpy(tmp, table->data, sizeof(tmp));
	up_read(&uts_sem);
	err = proc_dostring(&copy, write, buffer, lenp, ppos);
	if (!err && write) {
		down_write(&uts_sem);
		memcpy(table->data, tmp, sizeof(tmp));
		up_write(&uts_sem);
	}
	return err;
}

#define UTS_ENTRY(name, field, perms) {			\
	.procname	= name,				\
	.data		= init_uts_ns.field,		\
	.maxlen		= __NEW_UTS_LEN + 1,		\
	.mode		= perms,			\
	.proc_handler	= proc_do_uts_string,		\
}

static struct ctl_table uts_kern_table[] = {
	UTS_ENTRY("ostype", sysname, 0444),
	UTS_ENTRY("osrelease", release, 0444),
	UTS_ENTRY("version", version, 0444),
	UTS_ENTRY("arch", machine, 0444),
	UTS_ENTRY("hostname", nodename, 0644),
	UTS_ENTRY("domainname", domainname, 0644),
	{ }
};

static int __init utsname_sysctl_init(void)
{
	register_sysctl_init("kernel", uts_kern_table);
	return 0;
}
device_initcall(utsname_sysctl_init);
