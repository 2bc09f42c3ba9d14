# SPDX-License-Identifier: GPL-2.0-only
"""The fields that special texts need of an event. Without them the event is printed by its print fmt."""

from __future__ import annotations

from collections.abc import Mapping

from emu.ftrace.event.call import EventCall
from emu.ftrace.words import Words
from emu.trace.event_table import is_number, is_text
from emu.trace.report.plugins.kmem import ALLOCATIONS
from emu.trace.report.plugins.kvm import KVM_NEEDS
from emu.trace.report.plugins.mac80211 import SETTINGS
from emu.trace.report.plugins.sched_switch import NAMED_TASKS

__all__ = ["NEEDED", "has_needed"]

_TEXT = 0
_ANY = -1  # an array, or data without a length
_LONG = -2  # the size of a `long`: an address, for example
_NUMBER = -3  # of any size


def _numbers(*names: str) -> dict[str, int]:
    return dict.fromkeys(names, _NUMBER)


# For each event: the size in bytes of each number needed, or its kind.
NEEDED: Mapping[str, Mapping[str, int]] = {
    "ftrace:function": {"ip": _LONG, "parent_ip": _LONG},
    "ftrace:funcgraph_entry": {"func": _LONG, "depth": 4},
    "ftrace:funcgraph_exit": {"func": _LONG, "depth": 4, "calltime": 8, "rettime": 8},
    "ftrace:kernel_stack": {"caller": _ANY},
    "ftrace:bprint": {"ip": _LONG, "fmt": _LONG, "buf": _ANY},
    "ftrace:bputs": {"ip": _LONG, "str": _LONG},
    "ftrace:raw_data": {"id": 4, "buf": _ANY},
    "ftrace:func_repeats": {"ip": _LONG, "count": 2, "top_delta_ts": 2, "bottom_delta_ts": 4},
    **{path: _numbers(*(f"{prefix}pid" for prefix in prefixes)) for path, prefixes in NAMED_TASKS.items()},
    "timer:hrtimer_expire_entry": _numbers("hrtimer", "now", "function"),
    "timer:hrtimer_start": _numbers("hrtimer", "function", "expires", "softexpires"),
    "tlb:tlb_flush": _numbers("pages", "reason"),
    **{path: _numbers("call_site") for path in ALLOCATIONS},
    "syscalls:sys_enter_futex": _numbers("uaddr", "op", "val", "utime", "uaddr2", "val3"),
    "mac80211:drv_bss_info_changed": {"wiphy_name": _TEXT, "vif_name": _TEXT, **_numbers("vif_type", *SETTINGS)},
    **{path: _numbers(*names) for path, names in KVM_NEEDS.items()},
    "kvm:kvm_emulate_insn": {"insn": _ANY, **_numbers(*KVM_NEEDS["kvm:kvm_emulate_insn"])},
}  # fmt: skip


def has_needed(call: EventCall, words: Words) -> bool:
    """Whether an event with a special text has the fields for it."""
    fields = {field.name: field for field in call.fields}
    for name, needed in NEEDED.get(call.path, {}).items():
        size = words.long_size if needed == _LONG else needed
        field = fields.get(name)
        if field is None or (field.is_dynamic and size != _TEXT):
            return False
        if size == _TEXT and not is_text(field):
            return False
        if size == _NUMBER and not is_number(field):
            return False
        if size > 0 and not (is_number(field) and field.size == size):
            return False
    return True
