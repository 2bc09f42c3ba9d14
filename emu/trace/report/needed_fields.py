# SPDX-License-Identifier: GPL-2.0-only
"""The fields that a text of its own needs of an event. Without them the event is shown by its print fmt."""

from __future__ import annotations

from collections.abc import Mapping

from emu.ftrace.event.call import EventCall
from emu.ftrace.words import Words
from emu.trace.event_table import is_number, is_text

__all__ = ["NEEDED", "has_needed"]

_TEXT = 0
_ANY = -1  # an array, or data without a length
_LONG = -2  # as large as a `long`: an address, for example
_TASK = {"comm": _TEXT, "pid": 4, "prio": 4}
_MESSAGE = {"ip": _LONG, "buf": _ANY}

# By event: bytes of each number that is needed, or what else it is.
NEEDED: Mapping[str, Mapping[str, int]] = {
    "ftrace:function": {"ip": _LONG, "parent_ip": _LONG},
    "ftrace:funcgraph_entry": {"func": _LONG, "depth": 4},
    "ftrace:funcgraph_exit": {"func": _LONG, "depth": 4, "calltime": 8, "rettime": 8},
    "ftrace:kernel_stack": {"caller": _ANY},
    "ftrace:print": _MESSAGE,
    "ftrace:bprint": {**_MESSAGE, "fmt": _LONG},
    "ftrace:bputs": {"ip": _LONG, "str": _LONG},
    "ftrace:raw_data": {"id": 4},
    "ftrace:func_repeats": {"ip": _LONG, "count": 2, "top_delta_ts": 2, "bottom_delta_ts": 4},
    "sched:sched_switch": {
        **{f"{which}_{name}": size for which in ("prev", "next") for name, size in _TASK.items()}, "prev_state": _LONG,
    },
    "sched:sched_wakeup": {**_TASK, "target_cpu": 4},
    "sched:sched_wakeup_new": {**_TASK, "target_cpu": 4},
    "timer:hrtimer_expire_entry": {"hrtimer": _LONG, "now": 8, "function": _LONG},
    "timer:hrtimer_start": {"hrtimer": _LONG, "function": _LONG, "expires": 8, "softexpires": 8},
    "tlb:tlb_flush": {"pages": _LONG, "reason": 4},
    **{
        f"kmem:{name}": {"call_site": _LONG}
        for name in ("kmalloc", "kmalloc_node", "kmem_cache_alloc", "kmem_cache_alloc_node", "kfree", "kmem_cache_free")
    },
}  # fmt: skip


def has_needed(call: EventCall, words: Words) -> bool:
    """Whether an event of a kernel, that has a text of its own, has the fields for it."""
    fields = {field.name: field for field in call.fields}
    for name, needed in NEEDED.get(call.path, {}).items():
        size = words.long_size if needed == _LONG else needed
        field = fields.get(name)
        if field is None or field.is_dynamic:
            return False
        if size == _TEXT and not is_text(field):
            return False
        if size > 0 and not (is_number(field) and field.size == size):
            return False
    return True
