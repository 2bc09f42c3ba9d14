/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM sched

#if !defined(_TRACE_SCHED_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_SCHED_H

#include <linux/binfmts.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>

TRACE_EVENT(sched_kthread_stop,
	TP_PROTO(struct task_struct *t),
	TP_ARGS(t),
	TP_STRUCT__entry(
		__array(char, comm, TASK_COMM_LEN)
		__field(pid_t, pid)
	),
	TP_fast_assign(
		memcpy(__entry->comm, t->comm, TASK_COMM_LEN);
		__entry->pid = t->pid;
	),
	TP_printk("comm=%s pid=%d", __entry->comm, __entry->pid)
);

TRACE_EVENT(sched_kthread_stop_ret,
	TP_PROTO(int ret),
	TP_ARGS(ret),
	TP_STRUCT__entry(
		__field(int, ret)
	),
	TP_fast_assign(
		__entry->ret = ret;
	),
	TP_printk("ret=%d", __entry->ret)
);

DECLARE_EVENT_CLASS(sched_wakeup_template,
	TP_PROTO(struct task_struct *p),
	TP_ARGS(p),
	TP_STRUCT__entry(
		__array(char, comm, TASK_COMM_LEN)
		__field(pid_t, pid)
		__field(int, prio)
		__field(int, target_cpu)
	),
	TP_fast_assign(
		memcpy(__entry->comm, p->comm, TASK_COMM_LEN);
		__entry->pid = p->pid;
		__entry->prio = p->prio;
		__entry->target_cpu = task_cpu(p);
	),
	TP_printk("comm=%s pid=%d prio=%d target_cpu=%03d",
		__entry->comm, __entry->pid, __entry->prio,
		__entry->target_cpu)
);

/* Somebody has begun to wake it. */
DEFINE_EVENT(sched_wakeup_template, sched_waking,
	TP_PROTO(struct task_struct *p),
	TP_ARGS(p));

/* It is runnable. */
DEFINE_EVENT(sched_wakeup_template, sched_wakeup,
	TP_PROTO(struct task_struct *p),
	TP_ARGS(p));

DEFINE_EVENT(sched_wakeup_template, sched_wakeup_new,
	TP_PROTO(struct task_struct *p),
	TP_ARGS(p));

#ifndef TRACE_HEADER_MULTI_READ
/* One bit of TASK_REPORT, or what stands for idle or preempted tasks. */
static inline long __trace_sched_switch_state(bool preempt,
					      unsigned int prev_state,
					      struct task_struct *p)
{
	unsigned int state = (prev_state | p->exit_state) & TASK_REPORT;

	if (preempt)
		return TASK_REPORT_MAX;
	if (prev_state == TASK_IDLE)
		return TASK_REPORT_IDLE;
	return state ? 1L << (31 - __builtin_clz(state)) : 0;
}
#endif

TRACE_EVENT(sched_switch,
	TP_PROTO(bool preempt, struct task_struct *prev,
		 struct task_struct *next, unsigned int prev_state),
	TP_ARGS(preempt, prev, next, prev_state),
	TP_STRUCT__entry(
		__array(char, prev_comm, TASK_COMM_LEN)
		__field(pid_t, prev_pid)
		__field(int, prev_prio)
		__field(long, prev_state)
		__array(char, next_comm, TASK_COMM_LEN)
		__field(pid_t, next_pid)
		__field(int, next_prio)
	),
	TP_fast_assign(
		memcpy(__entry->prev_comm, prev->comm, TASK_COMM_LEN);
		__entry->prev_pid = prev->pid;
		__entry->prev_prio = prev->prio;
		__entry->prev_state = __trace_sched_switch_state(
			preempt, prev_state, prev);
		memcpy(__entry->next_comm, next->comm, TASK_COMM_LEN);
		__entry->next_pid = next->pid;
		__entry->next_prio = next->prio;
	),
	TP_printk("prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d next_prio=%d",
		__entry->prev_comm, __entry->prev_pid, __entry->prev_prio,

		(__entry->prev_state & (TASK_REPORT_MAX - 1)) ?
		  __print_flags(__entry->prev_state & (TASK_REPORT_MAX - 1), "|",
				{ TASK_INTERRUPTIBLE, "S" },
				{ TASK_UNINTERRUPTIBLE, "D" },
				{ __TASK_STOPPED, "T" },
				{ __TASK_TRACED, "t" },
				{ EXIT_DEAD, "X" },
				{ EXIT_ZOMBIE, "Z" },
				{ TASK_PARKED, "P" },
				{ TASK_DEAD, "I" }) :
		  "R",

		__entry->prev_state & TASK_REPORT_MAX ? "+" : "",
		__entry->next_comm, __entry->next_pid, __entry->next_prio)
);

TRACE_EVENT(sched_migrate_task,
	TP_PROTO(struct task_struct *p, int dest_cpu),
	TP_ARGS(p, dest_cpu),
	TP_STRUCT__entry(
		__array(char, comm, TASK_COMM_LEN)
		__field(pid_t, pid)
		__field(int, prio)
		__field(int, orig_cpu)
		__field(int, dest_cpu)
	),
	TP_fast_assign(
		memcpy(__entry->comm, p->comm, TASK_COMM_LEN);
		__entry->pid = p->pid;
		__entry->prio = p->prio;
		__entry->orig_cpu = task_cpu(p);
		__entry->dest_cpu = dest_cpu;
	),
	TP_printk("comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d",
		__entry->comm, __entry->pid, __entry->prio,
		__entry->orig_cpu, __entry->dest_cpu)
);

DECLARE_EVENT_CLASS(sched_process_template,
	TP_PROTO(struct task_struct *p),
	TP_ARGS(p),
	TP_STRUCT__entry(
		__array(char, comm, TASK_COMM_LEN)
		__field(pid_t, pid)
		__field(int, prio)
	),
	TP_fast_assign(
		memcpy(__entry->comm, p->comm, TASK_COMM_LEN);
		__entry->pid = p->pid;
		__entry->prio = p->prio;
	),
	TP_printk("comm=%s pid=%d prio=%d",
		__entry->comm, __entry->pid, __entry->prio)
);

DEFINE_EVENT(sched_process_template, sched_process_free,
	TP_PROTO(struct task_struct *p),
	TP_ARGS(p));

DEFINE_EVENT(sched_process_template, sched_process_exit,
	TP_PROTO(struct task_struct *p),
	TP_ARGS(p));

DEFINE_EVENT(sched_process_template, sched_wait_task,
	TP_PROTO(struct task_struct *p),
	TP_ARGS(p));

/* Who waits, for what; pid 0: for any child. */
TRACE_EVENT(sched_process_wait,
	TP_PROTO(struct pid *pid),
	TP_ARGS(pid),
	TP_STRUCT__entry(
		__array(char, comm, TASK_COMM_LEN)
		__field(pid_t, pid)
		__field(int, prio)
	),
	TP_fast_assign(
		memcpy(__entry->comm, current->comm, TASK_COMM_LEN);
		__entry->pid = pid ? pid_nr(pid) : 0;
		__entry->prio = current->prio;
	),
	TP_printk("comm=%s pid=%d prio=%d",
		__entry->comm, __entry->pid, __entry->prio)
);

TRACE_EVENT(sched_process_fork,
	TP_PROTO(struct task_struct *parent, struct task_struct *child),
	TP_ARGS(parent, child),
	TP_STRUCT__entry(
		__array(char, parent_comm, TASK_COMM_LEN)
		__field(pid_t, parent_pid)
		__array(char, child_comm, TASK_COMM_LEN)
		__field(pid_t, child_pid)
	),
	TP_fast_assign(
		memcpy(__entry->parent_comm, parent->comm, TASK_COMM_LEN);
		__entry->parent_pid = parent->pid;
		memcpy(__entry->child_comm, child->comm, TASK_COMM_LEN);
		__entry->child_pid = child->pid;
	),
	TP_printk("comm=%s pid=%d child_comm=%s child_pid=%d",
		__entry->parent_comm, __entry->parent_pid,
		__entry->child_comm, __entry->child_pid)
);

TRACE_EVENT(sched_process_exec,
	TP_PROTO(struct task_struct *p, pid_t old_pid,
		 struct linux_binprm *bprm),
	TP_ARGS(p, old_pid, bprm),
	TP_STRUCT__entry(
		__string(filename, bprm->filename)
		__field(pid_t, pid)
		__field(pid_t, old_pid)
	),
	TP_fast_assign(
		__assign_str(filename, bprm->filename);
		__entry->pid = p->pid;
		__entry->old_pid = old_pid;
	),
	TP_printk("filename=%s pid=%d old_pid=%d", __get_str(filename),
		__entry->pid, __entry->old_pid)
);

DECLARE_EVENT_CLASS(sched_stat_template,
	TP_PROTO(struct task_struct *tsk, u64 delay),
	TP_ARGS(tsk, delay),
	TP_STRUCT__entry(
		__array(char, comm, TASK_COMM_LEN)
		__field(pid_t, pid)
		__field(u64, delay)
	),
	TP_fast_assign(
		memcpy(__entry->comm, tsk->comm, TASK_COMM_LEN);
		__entry->pid = tsk->pid;
		__entry->delay = delay;
	),
	TP_printk("comm=%s pid=%d delay=%Lu [ns]",
		__entry->comm, __entry->pid,
		(unsigned long long)__entry->delay)
);

/* On a run queue, but not running. */
DEFINE_EVENT_KEY(sched_stat_template, sched_stat_wait,
	TP_PROTO(struct task_struct *tsk, u64 delay),
	TP_ARGS(tsk, delay), sched_schedstats);

DEFINE_EVENT_KEY(sched_stat_template, sched_stat_sleep,
	TP_PROTO(struct task_struct *tsk, u64 delay),
	TP_ARGS(tsk, delay), sched_schedstats);

DEFINE_EVENT_KEY(sched_stat_template, sched_stat_iowait,
	TP_PROTO(struct task_struct *tsk, u64 delay),
	TP_ARGS(tsk, delay), sched_schedstats);

/* Asleep where no signal wakes it. */
DEFINE_EVENT_KEY(sched_stat_template, sched_stat_blocked,
	TP_PROTO(struct task_struct *tsk, u64 delay),
	TP_ARGS(tsk, delay), sched_schedstats);

TRACE_EVENT(sched_stat_runtime,
	TP_PROTO(struct task_struct *tsk, u64 runtime, u64 vruntime),
	TP_ARGS(tsk, runtime, vruntime),
	TP_STRUCT__entry(
		__array(char, comm, TASK_COMM_LEN)
		__field(pid_t, pid)
		__field(u64, runtime)
		__field(u64, vruntime)
	),
	TP_fast_assign(
		memcpy(__entry->comm, tsk->comm, TASK_COMM_LEN);
		__entry->pid = tsk->pid;
		__entry->runtime = runtime;
		__entry->vruntime = vruntime;
	),
	TP_printk("comm=%s pid=%d runtime=%Lu [ns] vruntime=%Lu [ns]",
		__entry->comm, __entry->pid,
		(unsigned long long)__entry->runtime,
		(unsigned long long)__entry->vruntime)
);

#endif

#include <trace/define_trace.h>
