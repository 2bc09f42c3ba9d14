/* SPDX-License-Identifier: GPL-2.0-only */
/* Controlling terminals: whose a terminal is, and who may use it now. */
#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/tty.h>
#include <linux/uaccess.h>

static bool is_ignored(int sig)
{
	return current->blocked & sigmask(sig) ||
	       current->sighand->action[sig - 1].sa.sa_handler == SIG_IGN;
}

/* Who is in the background is stopped with @sig, or told that it may not. */
static int __tty_check_change(struct tty_struct *tty, int sig)
{
	struct pid *pgrp, *tty_pgrp;
	unsigned long flags;
	int ret = 0;

	if (current->signal->tty != tty)
		return 0;
	pgrp = task_pgrp(current);
	spin_lock_irqsave(&tty->ctrl_lock, flags);
	tty_pgrp = tty->pgrp;
	spin_unlock_irqrestore(&tty->ctrl_lock, flags);
	if (!tty_pgrp || pgrp == tty_pgrp)
		return 0;
	if (is_ignored(sig)) {
		if (sig == SIGTTIN)
			ret = -EIO;
	} else if (is_current_pgrp_orphaned()) {
		ret = -EIO;
	} else {
		kill_pgrp(pgrp, sig, 1);
		set_bit(TIF_SIGPENDING, &current->thread_info_flags);
		ret = -ERESTARTSYS;
	}
	return ret;
}

int tty_check_change(struct tty_struct *tty)
{
	return __tty_check_change(tty, SIGTTOU);
}

/* Before reading. */
int job_control(struct tty_struct *tty)
{
	return __tty_check_change(tty, SIGTTIN);
}

void proc_clear_tty(struct task_struct *p)
{
	unsigned long flags;

	spin_lock_irqsave(&p->sighand->siglock, flags);
	p->signal->tty = NULL;
	spin_unlock_irqrestore(&p->sighand->siglock, flags);
}

struct tty_struct *get_current_tty(void)
{
	return READ_ONCE(current->signal->tty);
}

/* With tasklist_lock held. */
static void session_clear_tty(struct pid *session)
{
	struct task_struct *p;

	do_each_pid_task(session, PIDTYPE_SID, p)
		proc_clear_tty(p);
}

/* Its session and its foreground group; each may be none. */
static void set_owner(struct tty_struct *tty, struct pid *session,
		      struct pid *pgrp)
{
	struct pid *old_session, *old_pgrp;
	unsigned long flags;

	spin_lock_irqsave(&tty->ctrl_lock, flags);
	old_session = tty->session;
	old_pgrp = tty->pgrp;
	tty->session = get_pid(session);
	tty->pgrp = get_pid(pgrp);
	spin_unlock_irqrestore(&tty->ctrl_lock, flags);
	put_pid(old_session);
	put_pid(old_pgrp);
}

/* The session leader gives its terminal up, as it does when it ends. */
void disassociate_ctty(int on_exit)
{
	struct tty_struct *tty = get_current_tty();
	struct pid *pgrp;
	unsigned long flags;

	if (!current->signal->leader || !tty)
		return;
	spin_lock_irqsave(&tty->ctrl_lock, flags);
	pgrp = get_pid(tty->pgrp);
	spin_unlock_irqrestore(&tty->ctrl_lock, flags);
	if (pgrp) {
		kill_pgrp(pgrp, SIGHUP, 1);
		kill_pgrp(pgrp, SIGCONT, 1);
		put_pid(pgrp);
	}
	set_owner(tty, NULL, NULL);
	spin_lock_irq(&tasklist_lock);
	session_clear_tty(task_session(current));
	spin_unlock_irq(&tasklist_lock);
}

/* A leader without a terminal may take one that is free, or, by force, not. */
static int tiocsctty(struct tty_struct *tty, bool force)
{
	int ret = 0;

	spin_lock_irq(&tasklist_lock);
	if (current->signal->leader &&
	    task_session(current) == tty->session)
		goto unlock;
	ret = -EPERM;
	if (!current->signal->leader || current->signal->tty)
		goto unlock;
	if (tty->session) {
		if (!force)
			goto unlock;
		session_clear_tty(tty->session);
	}
	set_owner(tty, task_session(current), task_pgrp(current));
	current->signal->tty = tty;
	tty->ended = false;	/* if somebody else had hung up */
	ret = 0;
unlock:
	spin_unlock_irq(&tasklist_lock);
	return ret;
}

/* The number of what @tty holds in @pid, 0 for nothing. */
static inline int tty_pid_nr(struct tty_struct *tty, struct pid **pid)
{
	unsigned long flags;
	pid_t nr;

	if (current->signal->tty != tty)
		return -ENOTTY;
	spin_lock_irqsave(&tty->ctrl_lock, flags);
	nr = pid_nr(*pid);
	spin_unlock_irqrestore(&tty->ctrl_lock, flags);
	return nr;
}

static int tiocgpgrp(struct tty_struct *tty, pid_t __user *p)
{
	int nr = tty_pid_nr(tty, &tty->pgrp);

	return nr < 0 ? nr : put_user(nr, p);
}

static int set_foreground(struct tty_struct *tty, pid_t nr)
{
	struct pid *pgrp = find_vpid(nr);
	struct task_struct *p = pid_task(pgrp, PIDTYPE_PGID);

	if (!pgrp)
		return -ESRCH;
	if (!p || task_session(p) != task_session(current))
		return -EPERM;
	set_owner(tty, tty->session, pgrp);
	return 0;
}

static int tiocspgrp(struct tty_struct *tty, pid_t __user *p)
{
	int ret = tty_check_change(tty);
	pid_t nr;

	if (ret)
		return ret == -EIO ? -ENOTTY : ret;
	if (current->signal->tty != tty ||
	    tty->session != task_session(current))
		return -ENOTTY;
	if (get_user(nr, p))
		return -EFAULT;
	if (nr < 0)
		return -EINVAL;
	spin_lock_irq(&tasklist_lock);
	ret = set_foreground(tty, nr);
	spin_unlock_irq(&tasklist_lock);
	return ret;
}

static int tiocgsid(struct tty_struct *tty, pid_t __user *p)
{
	int nr = tty_pid_nr(tty, &tty->session);

	if (nr <= 0)
		return nr ? nr : -ENOTTY;
	return put_user(nr, p);
}

static int tiocnotty(struct tty_struct *tty)
{
	if (current->signal->tty != tty)
		return -ENOTTY;
	if (current->signal->leader)
		disassociate_ctty(0);
	proc_clear_tty(current);
	return 0;
}

long tty_jobctrl_ioctl(struct tty_struct *tty, unsigned int cmd,
		       unsigned long arg)
{
	pid_t __user *p = (pid_t __user *)arg;

	switch (cmd) {
	case TIOCNOTTY:
		return tiocnotty(tty);
	case TIOCSCTTY:
		return tiocsctty(tty, arg == 1);
	case TIOCGPGRP:
		return tiocgpgrp(tty, p);
	case TIOCSPGRP:
		return tiocspgrp(tty, p);
	case TIOCGSID:
		return tiocgsid(tty, p);
	default:
		return -ENOTTY;
	}
}
