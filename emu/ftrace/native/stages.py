# SPDX-License-Identifier: GPL-2.0-only
"""Events that native code makes: those of probes, and synthetic ones. The guest has no part in their entries.

    stage = enter(array)
    if stage != 0:
        ...                               # stores the entry's own fields, in the host's byte order, from stage + COMMON_SIZE on
        put(cpu, array, event, file, stage, size)
        leave(array)

What an event makes happen may make another event, which gets the next stage. When all stages are in use, there are no more.
"""

from __future__ import annotations

import numpy as np

from emu.ftrace.native import array_record, stage_record
from emu.native import njit
from emu.native.pointers import call_handler, load_u64, store_u64

__all__ = ["enter", "leave", "put"]

ZERO, ONE = np.uint64(0), np.uint64(1)


@njit
def enter(array):
    """Where the entry of an event is put together; 0: too many are under way. `array`: the record of any array."""
    stages = load_u64(array + array_record.STAGES)
    depth = load_u64(stages + stage_record.DEPTH)
    if depth == stage_record.MOST:
        store_u64(stages + stage_record.DROPPED, load_u64(stages + stage_record.DROPPED) + ONE)
        return ZERO
    store_u64(stages + stage_record.DEPTH, depth + ONE)
    return load_u64(stages + stage_record.MEMORY) + depth * stage_record.SIZE_OF_STAGE


@njit
def leave(array):
    """The stage that was entered last is free again."""
    depth = load_u64(array + array_record.STAGES) + stage_record.DEPTH
    store_u64(depth, load_u64(depth) - ONE)


@njit
def put(cpu, array, event, file, stage, size):
    """Gives a staged entry to all arrays that want the event, or only to that of an event_file (`file` is not 0).

    The common fields are stored here. The event_context is afterwards what it was before.
    """
    stages = load_u64(array + array_record.STAGES)
    store_u64(stages + stage_record.EVENT, event)
    store_u64(stages + stage_record.FILE, file)
    store_u64(stages + stage_record.ENTRY, stage)
    store_u64(stages + stage_record.SIZE, size)
    call_handler(load_u64(stages + stage_record.PUT), cpu, stages)
