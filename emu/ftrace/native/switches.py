# SPDX-License-Identifier: GPL-2.0-only
"""tracing_on, turned on or off in the running guest by triggers and commands."""

from __future__ import annotations

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.readers import wake_readers
from emu.ftrace.native.ring_record import OFF
from emu.ftrace.native.trace_records import TraceArray
from emu.native.functions import njit, shared
from emu.native.records import u64

__all__ = ["record_off", "record_on"]


@shared
def record_on(array: TraceArray) -> None:
    """Records events from now on, on every CPU where nothing else prevents it."""
    array.recording = True
    switch_rings(array, 0)


@shared
def record_off(cpu: Cpu, array: TraceArray) -> None:
    """Stops recording, and wakes waiting readers: there is nothing more to wait for."""
    array.recording = False
    switch_rings(array, OFF)
    wake_readers(cpu, array)


@njit
def switch_rings(array: TraceArray, off: u64) -> None:
    """Sets or clears the bit OFF of the ring buffers that record. `off`: OFF, or 0."""
    for n in range(array.cpu_count):
        ring = array.cpus[n].ring
        ring.disabled = ring.disabled & ~OFF | off
