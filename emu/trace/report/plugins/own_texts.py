# SPDX-License-Identifier: GPL-2.0-only
"""The events that have a special text instead of their print fmt's."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from emu.trace.event_table import EventTable
from emu.trace.lines import Piece
from emu.trace.report.context import ReportContext
from emu.trace.report.ftrace_events import FTRACE_TEXTS
from emu.trace.report.plugins.futex import enter_text
from emu.trace.report.plugins.hrtimer import expire_entry_text, start_text
from emu.trace.report.plugins.kvm import KVM_TEXTS
from emu.trace.report.plugins.mac80211 import bss_info_text
from emu.trace.report.plugins.sched_switch import switch_text, wakeup_text
from emu.trace.report.plugins.tlb import flush_text

__all__ = ["OWN_TEXTS"]

OWN_TEXTS: Mapping[str, Callable[[ReportContext, EventTable], list[Piece]]] = {
    "sched:sched_switch": lambda _, table: switch_text(table),
    "sched:sched_wakeup": lambda _, table: wakeup_text(table),
    "sched:sched_wakeup_new": lambda _, table: wakeup_text(table),
    "timer:hrtimer_expire_entry": expire_entry_text,
    "timer:hrtimer_start": start_text,
    "tlb:tlb_flush": lambda _, table: flush_text(table),
    "syscalls:sys_enter_futex": enter_text,
    "mac80211:drv_bss_info_changed": lambda _, table: bss_info_text(table),
    **KVM_TEXTS,
    **FTRACE_TEXTS,
}
