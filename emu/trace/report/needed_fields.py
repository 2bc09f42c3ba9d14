# SPDX-License-Identifier: GPL-2.0-only
"""The fields that a text of its own needs of an event. Without them the event is shown by its print fmt."""

from __future__ import annotations

from collections.abc import Mapping

from emu.ftrace.event.call import EventCall
from emu.trace.event_table import is_number, is_text

__all__ = ["NEEDED", "has_needed"]

_TEXT = 0
_ANY = -1  # an array, or data without a length
_TASK = {"comm": _TEXT, "pid": 4, "prio": 4}

# By event: bytes of each number that is needed, or what else it is.
NEEDED: Mapping[str, Mapping[str, int]] = {
    "ftrace:function": {"ip": 8, "parent_ip": 8},
    "ftrace:funcgraph_entry": {"func": 8, "depth": 4},
    "ftrace:funcgraph_exit": {"func": 8, "depth": 4, "calltime": 8, "rettime": 8},
    "ftrace:kernel_stack": {"caller": _ANY},
    "ftrace:bprint": {"ip": 8, "fmt": 8, "buf": _ANY},
    "ftrace:bputs": {"ip": 8, "str": 8},
    "ftrace:raw_data": {"id": 4, "buf": _ANY},
    "ftrace:func_repeats": {"ip": 8, "count": 2, "top_delta_ts": 2, "bottom_delta_ts": 4},
    "sched:sched_switch": {
        **{f"{which}_{name}": size for which in ("prev", "next") for name, size in _TASK.items()}, "prev_state": 8,
    },
    "sched:sched_wakeup": {**_TASK, "target_cpu": 4},
    "sched:sched_wakeup_new": {**_TASK, "target_cpu": 4},
    "timer:hrtimer_expire_entry": {"hrtimer": 8, "now": 8, "function": 8},
    "timer:hrtimer_start": {"hrtimer": 8, "function": 8, "expires": 8, "softexpires": 8},
    "tlb:tlb_flush": {"pages": 8, "reason": 4},
    **{
        f"kmem:{name}": {"call_site": 8}
        for name in ("kmalloc", "kmalloc_node", "kmem_cache_alloc", "kmem_cache_alloc_node", "kfree", "kmem_cache_free")
    },
}  # fmt: skip


def has_needed(call: EventCall) -> bool:
    """Whether an event that has a text of its own has the fields for it."""
    fields = {field.name: field for field in call.fields}
    for name, size in NEEDED.get(call.path, {}).items():
        field = fields.get(name)
        if field is None or field.is_dynamic:
            return False
        if size == _TEXT and not is_text(field):
            return False
        if size > 0 and not (is_number(field) and field.size == size):
            return False
    return True
