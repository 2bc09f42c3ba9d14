# SPDX-License-Identifier: GPL-2.0-only
"""Consumers that send the CPU to their target, an address or 0: for live patches, direct calls, and traps of the
guest. This module is imported when the first one is needed.
"""

from __future__ import annotations

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.context import array_of
from emu.ftrace.native.trace_records import Consumer
from emu.native.functions import callback

__all__ = ["call_first", "go_on"]


@callback
def go_on(cpu: Cpu, acting: Consumer) -> None:
    """Makes the CPU continue at the target."""
    array_of(cpu).event_context.goes_on_at = acting.target


@callback
def call_first(cpu: Cpu, acting: Consumer) -> None:
    """Makes the CPU call the target first, and then continue."""
    array_of(cpu).event_context.calls_first = acting.target
