/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel offers to modules. */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/export.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/kstrtox.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <linux/trace_printk.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <linux/wait.h>

EXPORT_SYMBOL(printk);
EXPORT_SYMBOL(vprintk);
EXPORT_SYMBOL(snprintf);
EXPORT_SYMBOL(scnprintf);
EXPORT_SYMBOL(vsnprintf);
EXPORT_SYMBOL(panic);
EXPORT_SYMBOL(__bug);
EXPORT_SYMBOL(__warn);

EXPORT_SYMBOL(memcpy);
EXPORT_SYMBOL(memmove);
EXPORT_SYMBOL(memset);
EXPORT_SYMBOL(memcmp);
EXPORT_SYMBOL(memchr);
EXPORT_SYMBOL(strlen);
EXPORT_SYMBOL(strnlen);
EXPORT_SYMBOL(strcmp);
EXPORT_SYMBOL(strncmp);
EXPORT_SYMBOL(strchr);
EXPORT_SYMBOL(strrchr);
EXPORT_SYMBOL(strscpy);
EXPORT_SYMBOL(kstrtoull);
EXPORT_SYMBOL(kstrtoll);
EXPORT_SYMBOL(kstrtobool);

EXPORT_SYMBOL(__kmalloc);
EXPORT_SYMBOL(kfree);
EXPORT_SYMBOL(kmem_cache_create);
EXPORT_SYMBOL(kmem_cache_alloc);
EXPORT_SYMBOL(kmem_cache_free);
EXPORT_SYMBOL(_copy_to_user);
EXPORT_SYMBOL(_copy_from_user);

EXPORT_SYMBOL(jiffies);
EXPORT_SYMBOL(init_timer_key);
EXPORT_SYMBOL(mod_timer);
EXPORT_SYMBOL(del_timer_sync);

EXPORT_SYMBOL(schedule);
EXPORT_SYMBOL(schedule_timeout);
EXPORT_SYMBOL(schedule_timeout_uninterruptible);
EXPORT_SYMBOL(wake_up_process);
EXPORT_SYMBOL(msleep);
EXPORT_SYMBOL(msleep_interruptible);
EXPORT_SYMBOL(kthread_create_on_node);
EXPORT_SYMBOL(kthread_stop);
EXPORT_SYMBOL(kthread_should_stop);
EXPORT_SYMBOL(kthread_data);
EXPORT_SYMBOL(__rcu_read_lock);
EXPORT_SYMBOL(__rcu_read_unlock);
EXPORT_SYMBOL(synchronize_rcu);
EXPORT_SYMBOL(call_rcu);
EXPORT_SYMBOL(rcu_barrier);

EXPORT_SYMBOL(mutex_lock);
EXPORT_SYMBOL(mutex_unlock);
EXPORT_SYMBOL(__mutex_init);
EXPORT_SYMBOL(note_release);
EXPORT_SYMBOL(stall_until_release);
EXPORT_SYMBOL(_raw_spin_lock);
EXPORT_SYMBOL(_raw_spin_lock_bh);
EXPORT_SYMBOL(_raw_spin_lock_irq);
EXPORT_SYMBOL(_raw_spin_lock_irqsave);
EXPORT_SYMBOL(_raw_spin_trylock);
EXPORT_SYMBOL(_raw_spin_unlock);
EXPORT_SYMBOL(_raw_spin_unlock_bh);
EXPORT_SYMBOL(_raw_spin_unlock_irq);
EXPORT_SYMBOL(_raw_spin_unlock_irqrestore);

EXPORT_SYMBOL(__init_waitqueue_head);
EXPORT_SYMBOL(__wake_up);
EXPORT_SYMBOL(prepare_to_wait_event);
EXPORT_SYMBOL(finish_wait);
EXPORT_SYMBOL(autoremove_wake_function);
EXPORT_SYMBOL(complete);
EXPORT_SYMBOL(wait_for_completion);

EXPORT_SYMBOL(param_ops_int);
EXPORT_SYMBOL(param_ops_uint);
EXPORT_SYMBOL(param_ops_long);
EXPORT_SYMBOL(param_ops_ulong);
EXPORT_SYMBOL(param_ops_bool);
EXPORT_SYMBOL(param_ops_charp);
EXPORT_SYMBOL(try_module_get);
EXPORT_SYMBOL(__module_get);
EXPORT_SYMBOL(module_put);

EXPORT_SYMBOL_GPL(__trace_printk);
EXPORT_SYMBOL_GPL(__ftrace_vprintk);
EXPORT_SYMBOL_GPL(__trace_puts);
