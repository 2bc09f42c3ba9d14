/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM oom

#if !defined(_TRACE_OOM_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_OOM_H

#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/tracepoint.h>

#define PG_COUNT_TO_KB(x) ((x) << (PAGE_SHIFT - 10))

TRACE_EVENT(oom_score_adj_update,
	TP_PROTO(struct task_struct *task),
	TP_ARGS(task),
	TP_STRUCT__entry(
		__field(pid_t, pid)
		__array(char, comm, TASK_COMM_LEN)
		__field(short, oom_score_adj)
	),
	TP_fast_assign(
		__entry->pid = task->pid;
		memcpy(__entry->comm, task->comm, TASK_COMM_LEN);
		__entry->oom_score_adj = task->signal->oom_score_adj;
	),
	TP_printk("pid=%d comm=%s oom_score_adj=%hd",
		__entry->pid, __entry->comm, __entry->oom_score_adj)
);

/* Sizes are in KiB. */
TRACE_EVENT(mark_victim,
	TP_PROTO(struct task_struct *task, uid_t uid),
	TP_ARGS(task, uid),
	TP_STRUCT__entry(
		__field(int, pid)
		__string(comm, task->comm)
		__field(unsigned long, total_vm)
		__field(unsigned long, anon_rss)
		__field(unsigned long, file_rss)
		__field(unsigned long, shmem_rss)
		__field(uid_t, uid)
		__field(unsigned long, pgtables)
		__field(short, oom_score_adj)
	),
	TP_fast_assign(
		__entry->pid = task->pid;
		__assign_str(comm, task->comm);
		__entry->total_vm = PG_COUNT_TO_KB(task->mm->total_vm);
		__entry->anon_rss = PG_COUNT_TO_KB(task->mm->rss_anon);
		__entry->file_rss = PG_COUNT_TO_KB(task->mm->rss_file);
		__entry->shmem_rss = 0;
		__entry->uid = uid;
		__entry->pgtables = PG_COUNT_TO_KB(task->mm->nr_ptes);
		__entry->oom_score_adj = task->signal->oom_score_adj;
	),
	TP_printk("pid=%d comm=%s total-vm=%lukB anon-rss=%lukB file-rss:%lukB shmem-rss:%lukB uid=%u pgtables=%lukB oom_score_adj=%hd",
		__entry->pid, __get_str(comm), __entry->total_vm,
		__entry->anon_rss, __entry->file_rss, __entry->shmem_rss,
		__entry->uid, __entry->pgtables, __entry->oom_score_adj)
);

#endif

#include <trace/define_trace.h>
