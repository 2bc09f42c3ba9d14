# SPDX-License-Identifier: GPL-2.0-only
"""Makes the entries of `hardware:sample`, when a counter of a timing model has come to the end of a period.

The board calls this when a block has been charged (board_record.SAMPLE). It is compiled when the first array wants the event.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numba import types

from emu.cpu.native import cpu_record
from emu.cpu.native.timing import record
from emu.ftrace.event.call import COMMON_SIZE
from emu.ftrace.native import array_record, event_context, event_record, hardware_record, stages
from emu.ftrace.native.context import array_of
from emu.native import cfunc, njit
from emu.native.memory import copy
from emu.native.pointers import load_u64, store_u64

__all__ = ["build"]

ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(8)
NAME_SIZE = np.uint64(hardware_record.NAME_SIZE)
IP = np.uint64(COMMON_SIZE)
NAME = IP + WORD
PERIOD = NAME + NAME_SIZE
SIZE = PERIOD + WORD


@njit
def passed(timing, told, counter):
    """How many events of a counter a sample stands for that is taken now: a whole number of periods. `told`: of the CPU."""
    period = load_u64(timing + record.PERIODS + counter * WORD)
    before = load_u64(told + counter * WORD)
    if period == ZERO:
        return ZERO
    count = (load_u64(timing + record.COUNTS + counter * WORD) - before) // period * period
    store_u64(told + counter * WORD, before + count)
    return count


@functools.cache
def build() -> Any:
    """Compiles void sample(cpu, address): what `board_record.SAMPLE` is."""

    @cfunc(types.void(types.uint64, types.uint64))
    def sample(cpu, address):
        timing, array = load_u64(cpu + cpu_record.TIMING), array_of(cpu)
        sampled = load_u64(timing + record.SAMPLED)
        store_u64(timing + record.SAMPLED, ZERO)
        hardware = load_u64(array + array_record.HARDWARE)
        event = load_u64(hardware + hardware_record.EVENT)
        told = hardware + hardware_record.TOLD + load_u64(cpu + cpu_record.INDEX) * hardware_record.OF_CPU
        context = load_u64(array + array_record.EVENT_CONTEXT)
        counter = ZERO
        while sampled != ZERO:
            count = passed(timing, told, counter) if sampled & ONE != ZERO else ZERO
            stage = stages.enter(array) if count != ZERO and load_u64(event + event_record.FILES) != ZERO else ZERO
            if stage != ZERO:
                store_u64(stage + IP, address)
                copy(stage + NAME, hardware + hardware_record.NAMES + counter * NAME_SIZE, NAME_SIZE)
                store_u64(stage + PERIOD, count)
                store_u64(context + event_context.PLACE, event_context.PLACE_BLOCK)
                store_u64(context + event_context.IP, address)
                stages.put(cpu, array, event, ZERO, stage, SIZE)
                stages.leave(array)
            sampled >>= ONE
            counter += ONE

    return sample
