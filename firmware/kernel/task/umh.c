/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs that the kernel starts itself: a worker makes a thread, which
 * becomes the program.
 */
#include <linux/completion.h>
#include <linux/errno.h>
#include <linux/fs_struct.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/umh.h>
#include <linux/workqueue.h>

static void call_usermodehelper_freeinfo(struct subprocess_info *info)
{
	if (info->cleanup)
		info->cleanup(info);
	kfree(info);
}

/* Whoever waits frees it; if nobody does, it goes here. */
static void umh_complete(struct subprocess_info *sub_info)
{
	struct completion *comp = xchg(&sub_info->complete, NULL);

	if (comp)
		complete(comp);
	else
		call_usermodehelper_freeinfo(sub_info);
}

/* The new thread: it becomes the program, or ends. */
static int call_usermodehelper_exec_async(void *data)
{
	struct subprocess_info *sub_info = data;
	int retval;

	spin_lock_irq(&current->sighand->siglock);
	flush_signal_handlers(current, 1);
	spin_unlock_irq(&current->sighand->siglock);
	/* What the worker has is nobody's choice. */
	current->fs->umask = 0022;
	set_user_nice(current, 0);

	retval = kernel_execve(sub_info->path, sub_info->argv, sub_info->envp);
	sub_info->retval = retval;
	/* For UMH_WAIT_PROC, call_usermodehelper_exec_sync() does this. */
	if (!(sub_info->wait & UMH_WAIT_PROC))
		umh_complete(sub_info);
	if (!retval)
		return 0;
	do_exit(0);
}

/* Executes the program, and waits for its end. */
static void call_usermodehelper_exec_sync(struct subprocess_info *sub_info)
{
	pid_t pid;

	/* The child of one who ignores the signal leaves no status. */
	kernel_sigaction(SIGCHLD, SIG_DFL);
	pid = user_mode_thread(call_usermodehelper_exec_async, sub_info,
			       SIGCHLD);
	if (pid < 0)
		sub_info->retval = pid;
	else
		kernel_wait(pid, &sub_info->retval);
	kernel_sigaction(SIGCHLD, SIG_IGN);
	umh_complete(sub_info);
}

static void call_usermodehelper_exec_work(struct work_struct *work)
{
	struct subprocess_info *sub_info =
		container_of(work, struct subprocess_info, work);
	pid_t pid;

	if (sub_info->wait & UMH_WAIT_PROC) {
		call_usermodehelper_exec_sync(sub_info);
		return;
	}
	/* Nobody waits for its end: kthreadd, who ignores it, is its parent. */
	pid = user_mode_thread(call_usermodehelper_exec_async, sub_info,
			       CLONE_PARENT | SIGCHLD);
	if (pid < 0) {
		sub_info->retval = pid;
		umh_complete(sub_info);
	}
}

struct subprocess_info *
call_usermodehelper_setup(const char *path, const char *const *argv,
			  const char *const *envp, gfp_t gfp_mask,
			  void (*cleanup)(struct subprocess_info *info))
{
	struct subprocess_info *sub_info = kzalloc(sizeof(*sub_info), gfp_mask);

	if (!sub_info)
		return NULL;
	INIT_WORK(&sub_info->work, call_usermodehelper_exec_work);
	sub_info->path = path;
	sub_info->argv = argv;
	sub_info->envp = envp;
	sub_info->cleanup = cleanup;
	return sub_info;
}

int call_usermodehelper_exec(struct subprocess_info *sub_info, int wait)
{
	DECLARE_COMPLETION_ONSTACK(done);
	int retval = 0;

	if (!sub_info->path[0])
		goto out;
	sub_info->complete = wait == UMH_NO_WAIT ? NULL : &done;
	sub_info->wait = wait;
	queue_work(system_unbound_wq, &sub_info->work);
	if (wait == UMH_NO_WAIT)
		return 0;
	if (wait & UMH_KILLABLE) {
		retval = wait_for_completion_killable(&done);
		/* From here on it is umh_complete()'s to free, ... */
		if (retval && xchg(&sub_info->complete, NULL))
			return retval;
		/* ... unless that is just telling us. */
		if (retval)
			wait_for_completion(&done);
	} else {
		wait_for_completion(&done);
	}
	retval = sub_info->retval;
out:
	call_usermodehelper_freeinfo(sub_info);
	return retval;
}
