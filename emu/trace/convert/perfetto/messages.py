# SPDX-License-Identifier: GPL-2.0-only
"""Perfetto's messages for ftrace events that it turns into tracks. It shows all other events as they are (GenericFtraceEvent).

Numbers are those of protos/perfetto/trace/ftrace/*.proto; a test compares them with the package `perfetto`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["MESSAGES", "SYSCALL_ENTER", "SYSCALL_EXIT", "Message"]


class Message(NamedTuple):
    """A message: its field number in FtraceEvent; and the numbers of its own fields, by the event's field names."""

    number: int
    fields: Mapping[str, int]


def _message(number: int, names: str) -> Message:
    """The fields, in the order of their numbers from 1 on; `-` skips a number."""
    return Message(number, {name: place for place, name in enumerate(names.split(), 1) if name != "-"})


_WAKEUP = "comm pid prio success target_cpu"
SYSCALL_ENTER, SYSCALL_EXIT = _message(329, "id args"), _message(330, "id ret")

MESSAGES: Mapping[str, Message] = {
    "ftrace:print": _message(3, "ip buf"),
    "ftrace:funcgraph_entry": _message(437, "depth func"),
    "ftrace:funcgraph_exit": _message(438, "calltime depth func overrun rettime"),
    "sched:sched_switch": _message(4, "prev_comm prev_pid prev_prio prev_state next_comm next_pid next_prio"),
    "sched:sched_wakeup": _message(17, _WAKEUP),
    "sched:sched_waking": _message(20, _WAKEUP),
    "sched:sched_wakeup_new": _message(114, _WAKEUP),
    "sched:sched_process_exec": _message(237, "filename pid old_pid"),
    "sched:sched_process_exit": _message(238, "comm pid tgid prio"),
    "sched:sched_process_fork": _message(239, "parent_comm parent_pid child_comm child_pid"),
    "sched:sched_process_free": _message(240, "comm pid prio"),
    "task:task_newtask": _message(235, "pid comm clone_flags oom_score_adj"),
    "task:task_rename": _message(236, "pid oldcomm newcomm oom_score_adj"),
    "irq:irq_handler_entry": _message(36, "irq name"),
    "irq:irq_handler_exit": _message(37, "irq ret"),
    "irq:softirq_entry": _message(24, "vec"),
    "irq:softirq_exit": _message(25, "vec"),
    "irq:softirq_raise": _message(26, "vec"),
    "raw_syscalls:sys_enter": SYSCALL_ENTER,
    "raw_syscalls:sys_exit": SYSCALL_EXIT,
    "workqueue:workqueue_execute_start": _message(58, "work function"),
    "workqueue:workqueue_execute_end": _message(57, "work function"),
    "power:cpu_idle": _message(13, "state cpu_id"),
    "power:cpu_frequency": _message(11, "state cpu_id"),
}
