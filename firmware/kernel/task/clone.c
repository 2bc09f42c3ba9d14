/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls that make tasks. */
#include <linux/kernel.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

SYSCALL_DEFINE0(fork)
{
	struct kernel_clone_args args = { .exit_signal = SIGCHLD };

	return kernel_clone(&args);
}

SYSCALL_DEFINE0(vfork)
{
	struct kernel_clone_args args = {
		.flags = CLONE_VFORK | CLONE_VM,
		.exit_signal = SIGCHLD,
	};

	return kernel_clone(&args);
}

SYSCALL_DEFINE5(clone, unsigned long, clone_flags, unsigned long, newsp,
		int __user *, parent_tidptr,
#ifdef CONFIG_CLONE_BACKWARDS
		unsigned long, tls, int __user *, child_tidptr)
#else
		int __user *, child_tidptr, unsigned long, tls)
#endif
{
	struct kernel_clone_args args = {
		.flags = (u32)clone_flags & ~CSIGNAL,
		.exit_signal = clone_flags & CSIGNAL,
		.stack = newsp,
		.parent_tid = parent_tidptr,
		.child_tid = child_tidptr,
		.tls = tls,
	};

	return kernel_clone(&args);
}

/* clone3's arguments, as user space gives them. */
struct clone_args {
	u64 flags;
	u64 pidfd;
	u64 child_tid;
	u64 parent_tid;
	u64 exit_signal;
	u64 stack;
	u64 stack_size;
	u64 tls;
	u64 set_tid;
	u64 set_tid_size;
	u64 cgroup;
};

#define CLONE_ARGS_SIZE_VER0	64

/* Members that this kernel does not know must be 0. */
static int copy_clone_args(struct clone_args *to,
			   const struct clone_args __user *uargs, size_t usize)
{
	const char __user *rest = (const char __user *)uargs + sizeof(*to);
	char c;

	if (usize > 4096)
		return -E2BIG;
	if (usize < CLONE_ARGS_SIZE_VER0)
		return -EINVAL;
	*to = (struct clone_args){};
	if (copy_from_user(to, uargs, min(usize, sizeof(*to))))
		return -EFAULT;
	for (; usize > sizeof(*to); usize--, rest++) {
		if (get_user(c, rest))
			return -EFAULT;
		if (c)
			return -E2BIG;
	}
	return 0;
}

SYSCALL_DEFINE2(clone3, struct clone_args __user *, uargs, size_t, size)
{
	struct clone_args user;
	struct kernel_clone_args args;
	int err = copy_clone_args(&user, uargs, size);

	if (err)
		return err;
	if (user.flags & ~0xffffff00UL || user.flags & CLONE_DETACHED ||
	    user.set_tid_size || user.exit_signal & ~(u64)CSIGNAL ||
	    !valid_signal(user.exit_signal) || !user.stack != !user.stack_size)
		return -EINVAL;
	if (user.flags & (CLONE_THREAD | CLONE_PARENT) && user.exit_signal)
		return -EINVAL;
	args = (struct kernel_clone_args){
		.flags = user.flags,
		.exit_signal = user.exit_signal,
		.stack = user.stack + user.stack_size,
		.parent_tid = (int __user *)user.parent_tid,
		.child_tid = (int __user *)user.child_tid,
		.tls = user.tls,
	};
	return kernel_clone(&args);
}

SYSCALL_DEFINE1(set_tid_address, int __user *, tidptr)
{
	current->clear_child_tid = tidptr;
	return task_pid_nr(current);
}
