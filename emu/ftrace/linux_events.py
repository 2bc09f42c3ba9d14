# SPDX-License-Identifier: GPL-2.0-only
"""The events of Linux 6.1."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["LINUX_EVENTS"]

_TEXT = """\
9p: 9p_client_req 9p_client_res 9p_fid_ref 9p_protocol_dump
alarmtimer: alarmtimer_cancel alarmtimer_fired alarmtimer_start alarmtimer_suspend
benchmark: benchmark_event
block: block_bio_backmerge block_bio_bounce block_bio_complete block_bio_frontmerge block_bio_queue block_bio_remap
    block_dirty_buffer block_getrq block_plug block_rq_complete block_rq_error block_rq_insert block_rq_issue
    block_rq_merge block_rq_remap block_rq_requeue block_split block_touch_buffer block_unplug
bpf_test_run: bpf_test_finish
bpf_trace: bpf_trace_printk
cgroup: cgroup_attach_task cgroup_destroy_root cgroup_freeze cgroup_mkdir cgroup_notify_frozen cgroup_notify_populated
    cgroup_release cgroup_remount cgroup_rename cgroup_rmdir cgroup_setup_root cgroup_transfer_tasks cgroup_unfreeze
cpuhp: cpuhp_enter cpuhp_exit cpuhp_multi_enter
dev: devres_log
error_report: error_report_end
exceptions: page_fault_kernel page_fault_user
ext4: ext4_alloc_da_blocks ext4_allocate_blocks ext4_allocate_inode ext4_begin_ordered_truncate ext4_collapse_range
    ext4_da_release_space ext4_da_reserve_space ext4_da_update_reserve_space ext4_da_write_begin ext4_da_write_end
    ext4_da_write_pages ext4_da_write_pages_extent ext4_discard_blocks ext4_discard_preallocations ext4_drop_inode
    ext4_error ext4_es_cache_extent ext4_es_find_extent_range_enter ext4_es_find_extent_range_exit
    ext4_es_insert_delayed_block ext4_es_insert_extent ext4_es_lookup_extent_enter ext4_es_lookup_extent_exit
    ext4_es_remove_extent ext4_es_shrink ext4_es_shrink_count ext4_es_shrink_scan_enter ext4_es_shrink_scan_exit
    ext4_evict_inode ext4_ext_convert_to_initialized_enter ext4_ext_convert_to_initialized_fastpath
    ext4_ext_handle_unwritten_extents ext4_ext_load_extent ext4_ext_map_blocks_enter ext4_ext_map_blocks_exit
    ext4_ext_remove_space ext4_ext_remove_space_done ext4_ext_rm_idx ext4_ext_rm_leaf ext4_ext_show_extent
    ext4_fallocate_enter ext4_fallocate_exit ext4_fc_cleanup ext4_fc_commit_start ext4_fc_commit_stop ext4_fc_replay
    ext4_fc_replay_scan ext4_fc_stats ext4_fc_track_create ext4_fc_track_inode ext4_fc_track_link ext4_fc_track_range
    ext4_fc_track_unlink ext4_forget ext4_free_blocks ext4_free_inode ext4_fsmap_high_key ext4_fsmap_low_key
    ext4_fsmap_mapping ext4_get_implied_cluster_alloc_exit ext4_getfsmap_high_key ext4_getfsmap_low_key
    ext4_getfsmap_mapping ext4_ind_map_blocks_enter ext4_ind_map_blocks_exit ext4_insert_range ext4_invalidate_folio
    ext4_journal_start ext4_journal_start_reserved ext4_journalled_invalidate_folio ext4_journalled_write_end
    ext4_lazy_itable_init ext4_load_inode ext4_load_inode_bitmap ext4_mark_inode_dirty ext4_mb_bitmap_load
    ext4_mb_buddy_bitmap_load ext4_mb_discard_preallocations ext4_mb_new_group_pa ext4_mb_new_inode_pa
    ext4_mb_release_group_pa ext4_mb_release_inode_pa ext4_mballoc_alloc ext4_mballoc_discard ext4_mballoc_free
    ext4_mballoc_prealloc ext4_nfs_commit_metadata ext4_other_inode_update_time ext4_prefetch_bitmaps ext4_punch_hole
    ext4_read_block_bitmap_load ext4_readpage ext4_releasepage ext4_remove_blocks ext4_request_blocks ext4_request_inode
    ext4_shutdown ext4_sync_file_enter ext4_sync_file_exit ext4_sync_fs ext4_trim_all_free ext4_trim_extent
    ext4_truncate_enter ext4_truncate_exit ext4_unlink_enter ext4_unlink_exit ext4_update_sb ext4_write_begin
    ext4_write_end ext4_writepage ext4_writepages ext4_writepages_result ext4_zero_range
fib: fib_table_lookup
fib6: fib6_table_lookup
filelock: break_lease_block break_lease_noblock break_lease_unblock fcntl_setlk flock_lock_inode generic_add_lease
    generic_delete_lease leases_conflict locks_get_lock_context locks_remove_posix posix_lock_inode time_out_leases
filemap: file_check_and_advance_wb_err filemap_set_wb_err mm_filemap_add_to_page_cache mm_filemap_delete_from_page_cache
icmp: icmp_send
initcall: initcall_finish initcall_level initcall_start
io_uring: io_uring_complete io_uring_cqe_overflow io_uring_cqring_wait io_uring_create io_uring_defer io_uring_fail_link
    io_uring_file_get io_uring_link io_uring_local_work_run io_uring_poll_arm io_uring_queue_async_work
    io_uring_register io_uring_req_failed io_uring_short_write io_uring_submit_sqe io_uring_task_add
    io_uring_task_work_run
iomap: iomap_dio_invalidate_fail iomap_invalidate_folio iomap_iter iomap_iter_dstmap iomap_iter_srcmap iomap_readahead
    iomap_readpage iomap_release_folio iomap_writepage iomap_writepage_map
irq: irq_handler_entry irq_handler_exit softirq_entry softirq_exit softirq_raise tasklet_entry tasklet_exit
irq_matrix: irq_matrix_alloc irq_matrix_alloc_managed irq_matrix_alloc_reserved irq_matrix_assign
    irq_matrix_assign_system irq_matrix_free irq_matrix_offline irq_matrix_online irq_matrix_remove_managed
    irq_matrix_remove_reserved irq_matrix_reserve irq_matrix_reserve_managed
irq_vectors: call_function_entry call_function_exit call_function_single_entry call_function_single_exit
    error_apic_entry error_apic_exit irq_work_entry irq_work_exit local_timer_entry local_timer_exit reschedule_entry
    reschedule_exit spurious_apic_entry spurious_apic_exit thermal_apic_entry thermal_apic_exit vector_activate
    vector_alloc vector_alloc_managed vector_clear vector_config vector_deactivate vector_free_moved vector_reserve
    vector_reserve_managed vector_setup vector_teardown vector_update x86_platform_ipi_entry x86_platform_ipi_exit
jbd2: jbd2_checkpoint jbd2_checkpoint_stats jbd2_commit_flushing jbd2_commit_locking jbd2_commit_logging
    jbd2_drop_transaction jbd2_end_commit jbd2_handle_extend jbd2_handle_restart jbd2_handle_start jbd2_handle_stats
    jbd2_lock_buffer_stall jbd2_run_stats jbd2_shrink_checkpoint_list jbd2_shrink_count jbd2_shrink_scan_enter
    jbd2_shrink_scan_exit jbd2_start_commit jbd2_submit_inode_data jbd2_update_log_tail jbd2_write_superblock
kmem: kfree kmalloc kmem_cache_alloc kmem_cache_free mm_page_alloc mm_page_alloc_extfrag mm_page_alloc_zone_locked
    mm_page_free mm_page_free_batched mm_page_pcpu_drain rss_stat
lock: contention_begin contention_end
maple_tree: ma_op ma_read ma_write
migrate: mm_migrate_pages mm_migrate_pages_start remove_migration_pte set_migration_pte
mmap: exit_mmap vm_unmapped_area vma_mas_szero vma_store
mmap_lock: mmap_lock_acquire_returned mmap_lock_released mmap_lock_start_locking
module: module_free module_get module_load module_put module_request
msr: rdpmc read_msr write_msr
napi: napi_poll
neigh: neigh_cleanup_and_release neigh_create neigh_event_send_dead neigh_event_send_done neigh_timer_handler
    neigh_update neigh_update_done
net: napi_gro_frags_entry napi_gro_frags_exit napi_gro_receive_entry napi_gro_receive_exit net_dev_queue
    net_dev_start_xmit net_dev_xmit net_dev_xmit_timeout netif_receive_skb netif_receive_skb_entry
    netif_receive_skb_exit netif_receive_skb_list_entry netif_receive_skb_list_exit netif_rx netif_rx_entry
    netif_rx_exit
netfs: netfs_failure netfs_read netfs_rreq netfs_rreq_ref netfs_sreq netfs_sreq_ref
netlink: netlink_extack
nmi: nmi_handler
oom: finish_task_reaping mark_victim oom_score_adj_update reclaim_retry_zone skip_task_reaping start_task_reaping
    wake_reaper
osnoise: irq_noise nmi_noise sample_threshold softirq_noise thread_noise
page_pool: page_pool_release page_pool_state_hold page_pool_state_release page_pool_update_nid
pagemap: mm_lru_activate mm_lru_insertion
percpu: percpu_alloc_percpu percpu_alloc_percpu_fail percpu_create_chunk percpu_destroy_chunk percpu_free_percpu
power: clock_disable clock_enable clock_set_rate cpu_frequency cpu_frequency_limits cpu_idle cpu_idle_miss
    dev_pm_qos_add_request dev_pm_qos_remove_request dev_pm_qos_update_request device_pm_callback_end
    device_pm_callback_start guest_halt_poll_ns pm_qos_add_request pm_qos_remove_request pm_qos_update_flags
    pm_qos_update_request pm_qos_update_target power_domain_target powernv_throttle pstate_sample suspend_resume
    wakeup_source_activate wakeup_source_deactivate
preemptirq: irq_disable irq_enable preempt_disable preempt_enable
printk: console
qdisc: qdisc_create qdisc_dequeue qdisc_destroy qdisc_enqueue qdisc_reset
raw_syscalls: sys_enter sys_exit
rcu: rcu_barrier rcu_batch_end rcu_batch_start rcu_callback rcu_dyntick rcu_exp_funnel_lock rcu_exp_grace_period rcu_fqs
    rcu_future_grace_period rcu_grace_period rcu_grace_period_init rcu_invoke_callback rcu_invoke_kfree_bulk_callback
    rcu_invoke_kvfree_callback rcu_kvfree_callback rcu_preempt_task rcu_quiescent_state_report rcu_segcb_stats
    rcu_stall_warning rcu_torture_read rcu_unlock_preempted_task rcu_utilization
rseq: rseq_ip_fixup rseq_update
sched: sched_kthread_stop sched_kthread_stop_ret sched_kthread_work_execute_end sched_kthread_work_execute_start
    sched_kthread_work_queue_work sched_migrate_task sched_move_numa sched_pi_setprio sched_process_exec
    sched_process_exit sched_process_fork sched_process_free sched_process_wait sched_stat_blocked sched_stat_iowait
    sched_stat_runtime sched_stat_sleep sched_stat_wait sched_stick_numa sched_swap_numa sched_switch sched_wait_task
    sched_wake_idle_without_ipi sched_wakeup sched_wakeup_new sched_waking
signal: signal_deliver signal_generate
skb: consume_skb kfree_skb skb_copy_datagram_iovec
sock: inet_sk_error_report inet_sock_set_state sock_exceed_buf_limit sock_rcvqueue_full
swiotlb: swiotlb_bounced
task: task_newtask task_rename
tcp: tcp_bad_csum tcp_cong_state_set tcp_destroy_sock tcp_probe tcp_rcv_space_adjust tcp_receive_reset
    tcp_retransmit_skb tcp_retransmit_synack tcp_send_reset
thermal: cdev_update thermal_temperature thermal_zone_trip
timer: hrtimer_cancel hrtimer_expire_entry hrtimer_expire_exit hrtimer_init hrtimer_start itimer_expire itimer_state
    tick_stop timer_cancel timer_expire_entry timer_expire_exit timer_init timer_start
tlb: tlb_flush
udp: udp_fail_queue_rcv_skb
vmscan: mm_shrink_slab_end mm_shrink_slab_start mm_vmscan_direct_reclaim_begin mm_vmscan_direct_reclaim_end
    mm_vmscan_kswapd_sleep mm_vmscan_kswapd_wake mm_vmscan_lru_isolate mm_vmscan_lru_shrink_active
    mm_vmscan_lru_shrink_inactive mm_vmscan_node_reclaim_begin mm_vmscan_node_reclaim_end mm_vmscan_throttled
    mm_vmscan_wakeup_kswapd mm_vmscan_write_folio
vsyscall: emulate_vsyscall
workqueue: workqueue_activate_work workqueue_execute_end workqueue_execute_start workqueue_queue_work
writeback: balance_dirty_pages bdi_dirty_ratelimit folio_wait_writeback global_dirty_state sb_clear_inode_writeback
    sb_mark_inode_writeback wbc_writepage writeback_bdi_register writeback_dirty_folio writeback_dirty_inode
    writeback_dirty_inode_enqueue writeback_dirty_inode_start writeback_exec writeback_lazytime writeback_lazytime_iput
    writeback_mark_inode_dirty writeback_pages_written writeback_queue writeback_queue_io writeback_sb_inodes_requeue
    writeback_single_inode writeback_single_inode_start writeback_start writeback_wait writeback_wake_background
    writeback_write_inode writeback_write_inode_start writeback_written
x86_fpu: x86_fpu_after_restore x86_fpu_after_save x86_fpu_before_restore x86_fpu_before_save x86_fpu_copy_dst
    x86_fpu_copy_src x86_fpu_dropped x86_fpu_init_state x86_fpu_regs_activated x86_fpu_regs_deactivated
    x86_fpu_xstate_check_failed
xdp: mem_connect mem_disconnect mem_return_failed xdp_bulk_tx xdp_cpumap_enqueue xdp_cpumap_kthread xdp_devmap_xmit
    xdp_exception xdp_redirect xdp_redirect_err xdp_redirect_map xdp_redirect_map_err
"""

# On x86-64. Each has the events sys_enter_NAME and sys_exit_NAME.
_SYSCALLS = """
    accept accept4 access adjtimex alarm arch_prctl bind bpf brk capget capset chdir chmod chown chroot
    clock_adjtime clock_getres clock_gettime clock_nanosleep clock_settime clone clone3 close close_range connect
    copy_file_range creat delete_module dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2
    epoll_wait eventfd eventfd2 execve execveat exit exit_group faccessat faccessat2 fadvise64 fallocate fchdir
    fchmod fchmodat fchown fchownat fcntl fdatasync fgetxattr finit_module flistxattr flock fork fremovexattr
    fsconfig fsetxattr fsmount fsopen fspick fstatfs fsync ftruncate futex futex_waitv futimesat get_robust_list
    getcpu getcwd getdents getdents64 getegid geteuid getgid getgroups getitimer getpeername getpgid getpgrp getpid
    getppid getpriority getrandom getresgid getresuid getrlimit getrusage getsid getsockname getsockopt gettid
    gettimeofday getuid getxattr init_module io_cancel io_destroy io_getevents io_pgetevents io_setup io_submit
    io_uring_enter io_uring_register io_uring_setup ioctl ioperm iopl ioprio_get ioprio_set kill lchown lgetxattr
    link linkat listen listxattr llistxattr lremovexattr lseek lsetxattr madvise membarrier memfd_create
    memfd_secret mincore mkdir mkdirat mknod mknodat mlock mlock2 mlockall mmap modify_ldt mount mount_setattr
    move_mount mprotect mremap msgctl msgget msgrcv msgsnd msync munlock munlockall munmap name_to_handle_at
    nanosleep newfstat newfstatat newlstat newstat newuname open open_by_handle_at open_tree openat openat2 pause
    perf_event_open personality pidfd_getfd pidfd_open pidfd_send_signal pipe pipe2 pivot_root pkey_alloc pkey_free
    pkey_mprotect poll ppoll prctl pread64 preadv preadv2 prlimit64 process_madvise process_mrelease pselect6
    ptrace pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv reboot recvfrom recvmmsg recvmsg
    remap_file_pages removexattr rename renameat renameat2 restart_syscall rmdir rseq rt_sigaction rt_sigpending
    rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo
    sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler
    sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield select
    semctl semget semop semtimedop sendfile64 sendmmsg sendmsg sendto set_robust_list set_tid_address setdomainname
    setfsgid setfsuid setgid setgroups sethostname setitimer setns setpgid setpriority setregid setresgid setresuid
    setreuid setrlimit setsid setsockopt settimeofday setuid setxattr shmat shmctl shmdt shmget shutdown
    sigaltstack signalfd signalfd4 socket socketpair splice statfs statx symlink symlinkat sync sync_file_range
    syncfs sysfs sysinfo syslog tee tgkill time timer_create timer_delete timer_getoverrun timer_gettime
    timer_settime timerfd_create timerfd_gettime timerfd_settime times tkill truncate umask umount unlink unlinkat
    unshare ustat utime utimensat utimes vfork vhangup vmsplice wait4 waitid write writev
"""


def _events() -> dict[str, frozenset[str]]:
    systems: dict[str, list[str]] = {}
    for word in _TEXT.split():
        if word.endswith(":"):
            systems[word[:-1]] = events = []
        else:
            events.append(word)
    systems["syscalls"] = [f"sys_{way}_{name}" for name in _SYSCALLS.split() for way in ("enter", "exit")]
    return {system: frozenset(events) for system, events in systems.items()}


LINUX_EVENTS: Mapping[str, frozenset[str]] = _events()  # by system
