# SPDX-License-Identifier: GPL-2.0-only
"""Events made by native code: those of probes, and synthetic ones. The guest does not make their entries.

    stage = enter(array)
    if stage != 0:
        ...                               # stores the entry's own fields, in the host's byte order, from stage + COMMON_SIZE on
        put(cpu, array, event, file, stage, size)
        leave(array)

A trigger of an event may make another event, which gets the next stage. When all stages are in use, the event is dropped.
"""

from __future__ import annotations

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.trace_records import Event, EventFile, TraceArray
from emu.ftrace.native.trace_values import STAGE_SIZE, STAGES
from emu.native.functions import njit
from emu.native.records import Bytes, u64

__all__ = ["enter", "leave", "put"]


@njit
def enter(array: TraceArray) -> u64:
    """Allocates a stage for an event's entry. Returns its address, or 0 if all are in use. `array`: the record of any array."""
    stages = array.stages
    depth = stages.depth
    if depth == STAGES:
        stages.dropped += 1
        return 0
    stages.depth = depth + 1
    return stages.memory + depth * STAGE_SIZE


@njit
def leave(array: TraceArray) -> None:
    """Frees the latest stage."""
    array.stages.depth -= 1


@njit
def put(cpu: Cpu, array: TraceArray, event: Event, file: EventFile | None, stage: Bytes, size: u64) -> None:
    """Passes a staged entry to all arrays that use the event, or only to that of `file`.

    The common fields are stored here. The event_context is restored afterwards.
    """
    stages = array.stages
    stages.event = event
    stages.file = file
    stages.entry = stage
    stages.size = size
    stages.put(cpu, stages)
