/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel offers to modules. */
#include <linux/blkdev.h>
#include <linux/buffer_head.h>
#include <linux/clockchips.h>
#include <linux/completion.h>
#include <linux/dcache.h>
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/export.h>
#include <linux/fs.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/kthread.h>
#include <linux/kstrtox.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleloader.h>
#include <linux/mutex.h>
#include <linux/nmi.h>
#include <linux/pagemap.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/set_memory.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <linux/trace_events.h>
#include <linux/trace_printk.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <linux/wait.h>
#include <linux/wait_bit.h>
#include <linux/workqueue.h>
#include <linux/writeback.h>
#include <asm/cacheflush.h>

EXPORT_SYMBOL(printk);
EXPORT_SYMBOL(vprintk);
EXPORT_SYMBOL(snprintf);
EXPORT_SYMBOL(scnprintf);
EXPORT_SYMBOL(vsnprintf);
EXPORT_SYMBOL(panic);
EXPORT_SYMBOL(__bug);
EXPORT_SYMBOL(__warn);

EXPORT_SYMBOL(tracing_on);
EXPORT_SYMBOL(tracing_off);
EXPORT_SYMBOL(tracing_is_on);
EXPORT_SYMBOL(tracing_snapshot);
EXPORT_SYMBOL(tracing_snapshot_alloc);
EXPORT_SYMBOL(tracing_alloc_snapshot);
EXPORT_SYMBOL(ftrace_dump);

EXPORT_SYMBOL(module_alloc);
EXPORT_SYMBOL(module_memfree);
EXPORT_SYMBOL(set_memory_ro);
EXPORT_SYMBOL(set_memory_x);
EXPORT_SYMBOL(flush_icache_range);

EXPORT_SYMBOL(branch_key);
EXPORT_SYMBOL(ftrace_likely_correct);
EXPORT_SYMBOL(ftrace_likely_incorrect);
EXPORT_SYMBOL(ftrace_likely_constant);
EXPORT_SYMBOL(trace_irqflags_key);
EXPORT_SYMBOL(trace_preempt_key);
EXPORT_SYMBOL(trace_hardirqs_on);
EXPORT_SYMBOL(trace_hardirqs_off);
EXPORT_SYMBOL(preempt_count_add);
EXPORT_SYMBOL(preempt_count_sub);
EXPORT_SYMBOL(preempt_schedule);
EXPORT_SYMBOL_GPL(stop_critical_timings);
EXPORT_SYMBOL_GPL(start_critical_timings);

EXPORT_SYMBOL(on_each_cpu);
EXPORT_SYMBOL_GPL(smp_call_function_single_async);

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
EXPORT_SYMBOL(kmem_cache_destroy);
EXPORT_SYMBOL(vmemmap_base);
EXPORT_SYMBOL(__put_page);
EXPORT_SYMBOL_GPL(handle_mm_fault);
EXPORT_SYMBOL(_copy_to_user);
EXPORT_SYMBOL(_copy_from_user);

EXPORT_SYMBOL(jiffies);
EXPORT_SYMBOL(ktime_get);
EXPORT_SYMBOL(ktime_get_real);
EXPORT_SYMBOL(ktime_to_cycles);
EXPORT_SYMBOL(init_timer_key);
EXPORT_SYMBOL(mod_timer);
EXPORT_SYMBOL(del_timer_sync);
EXPORT_SYMBOL(cancel_work_sync);
EXPORT_SYMBOL(queue_work_on);
EXPORT_SYMBOL(system_wq);

EXPORT_SYMBOL(schedule);
EXPORT_SYMBOL(schedule_timeout);
EXPORT_SYMBOL(schedule_timeout_uninterruptible);
EXPORT_SYMBOL(wake_up_process);
EXPORT_SYMBOL(msleep);
EXPORT_SYMBOL(msleep_interruptible);
EXPORT_SYMBOL(kthread_create_on_node);
EXPORT_SYMBOL(kthread_create_on_cpu);
EXPORT_SYMBOL(kthread_exit);
EXPORT_SYMBOL(kthread_stop);
EXPORT_SYMBOL(kthread_should_stop);
EXPORT_SYMBOL(kthread_data);
EXPORT_SYMBOL(sched_setaffinity);
EXPORT_SYMBOL(sched_set_fifo);
EXPORT_SYMBOL(sched_set_fifo_low);
EXPORT_SYMBOL(nr_cpu_ids);
EXPORT_SYMBOL(__cpu_online_mask);
EXPORT_SYMBOL(__register_nmi_handler);
EXPORT_SYMBOL(unregister_nmi_handler);
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
EXPORT_SYMBOL(bit_stall_until_release);
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

EXPORT_SYMBOL(kernel_kobj);
EXPORT_SYMBOL(kobject_create_and_add);
EXPORT_SYMBOL(kobject_put);
EXPORT_SYMBOL(sysfs_create_file);

EXPORT_SYMBOL(register_filesystem);
EXPORT_SYMBOL(unregister_filesystem);
EXPORT_SYMBOL(mount_bdev);
EXPORT_SYMBOL(kill_block_super);
EXPORT_SYMBOL(seq_puts);

EXPORT_SYMBOL(new_inode);
EXPORT_SYMBOL(iget_locked);
EXPORT_SYMBOL(insert_inode_locked);
EXPORT_SYMBOL(unlock_new_inode);
EXPORT_SYMBOL(iget_failed);
EXPORT_SYMBOL(discard_new_inode);
EXPORT_SYMBOL(iput);
EXPORT_SYMBOL(clear_inode);
EXPORT_SYMBOL(inode_init_owner);
EXPORT_SYMBOL(init_special_inode);
EXPORT_SYMBOL(make_bad_inode);
EXPORT_SYMBOL(is_bad_inode);
EXPORT_SYMBOL(setattr_prepare);
EXPORT_SYMBOL(setattr_copy);
EXPORT_SYMBOL(current_time);
EXPORT_SYMBOL(__mark_inode_dirty);
EXPORT_SYMBOL(write_inode_now);

EXPORT_SYMBOL(d_instantiate);
EXPORT_SYMBOL(d_instantiate_new);
EXPORT_SYMBOL(d_make_root);
EXPORT_SYMBOL(d_splice_alias);

EXPORT_SYMBOL(generic_file_open);
EXPORT_SYMBOL(generic_file_llseek);
EXPORT_SYMBOL(generic_file_read_iter);
EXPORT_SYMBOL(generic_file_write_iter);
EXPORT_SYMBOL(generic_file_mmap);
EXPORT_SYMBOL(generic_file_splice_read);
EXPORT_SYMBOL(iter_file_splice_write);
EXPORT_SYMBOL(generic_read_dir);
EXPORT_SYMBOL(generic_write_end);
EXPORT_SYMBOL(page_symlink);
EXPORT_SYMBOL(page_get_link);
EXPORT_SYMBOL(simple_get_link);

EXPORT_SYMBOL(read_mapping_page);
EXPORT_SYMBOL(grab_cache_page);
EXPORT_SYMBOL(folio_trylock);
EXPORT_SYMBOL(__folio_lock);
EXPORT_SYMBOL(folio_unlock);
EXPORT_SYMBOL(truncate_inode_pages);
EXPORT_SYMBOL(truncate_setsize);
EXPORT_SYMBOL(file_write_and_wait_range);

EXPORT_SYMBOL(__bread_gfp);
EXPORT_SYMBOL(__getblk_gfp);
EXPORT_SYMBOL(__bforget);
EXPORT_SYMBOL(__lock_buffer);
EXPORT_SYMBOL(unlock_buffer);
EXPORT_SYMBOL(mark_buffer_dirty);
EXPORT_SYMBOL(sync_dirty_buffer);
EXPORT_SYMBOL(sync_blockdev);
EXPORT_SYMBOL(sb_min_blocksize);
EXPORT_SYMBOL(sb_set_blocksize);

EXPORT_SYMBOL(__block_write_begin);
EXPORT_SYMBOL(block_write_begin);
EXPORT_SYMBOL(block_write_end);
EXPORT_SYMBOL(block_read_full_folio);
EXPORT_SYMBOL(block_write_full_page);
EXPORT_SYMBOL(block_dirty_folio);
EXPORT_SYMBOL(block_invalidate_folio);
EXPORT_SYMBOL(block_truncate_page);
EXPORT_SYMBOL(generic_block_bmap);

EXPORT_SYMBOL(param_ops_int);
EXPORT_SYMBOL(param_ops_uint);
EXPORT_SYMBOL(param_ops_long);
EXPORT_SYMBOL(param_ops_ulong);
EXPORT_SYMBOL(param_ops_bool);
EXPORT_SYMBOL(param_ops_charp);
EXPORT_SYMBOL(param_ops_string);
EXPORT_SYMBOL(try_module_get);
EXPORT_SYMBOL(__module_get);
EXPORT_SYMBOL(module_put);

EXPORT_SYMBOL_GPL(register_kprobe);
EXPORT_SYMBOL_GPL(unregister_kprobe);
EXPORT_SYMBOL_GPL(register_kprobes);
EXPORT_SYMBOL_GPL(unregister_kprobes);
EXPORT_SYMBOL_GPL(register_kretprobe);
EXPORT_SYMBOL_GPL(unregister_kretprobe);
EXPORT_SYMBOL_GPL(register_kretprobes);
EXPORT_SYMBOL_GPL(unregister_kretprobes);
EXPORT_SYMBOL_GPL(enable_kprobe);
EXPORT_SYMBOL_GPL(disable_kprobe);
EXPORT_SYMBOL_GPL(get_kretprobe);

EXPORT_SYMBOL_GPL(__trace_bprintk);
EXPORT_SYMBOL_GPL(__ftrace_vbprintk);
EXPORT_SYMBOL_GPL(__trace_bputs);
EXPORT_SYMBOL_GPL(__trace_printk);
EXPORT_SYMBOL_GPL(__ftrace_vprintk);
EXPORT_SYMBOL_GPL(__trace_puts);
EXPORT_SYMBOL_GPL(trace_event_buffer_commit);
