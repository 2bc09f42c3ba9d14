# SPDX-License-Identifier: GPL-2.0-only
"""The actions of histograms: functions called by programs (`native.hist_record`).

This code is compiled when the first action is set.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.hist_record import Action, Frame, Histogram
from emu.ftrace.native.synthetic import make
from emu.native.functions import Compiled, callback, njit
from emu.native.memory import copy
from emu.native.records import Bytes, Words, u64

__all__ = ["ActionHandlers", "build"]


class ActionHandlers(NamedTuple):
    """The functions for `Action.act`."""

    synthetic: Compiled[[Cpu, Action], None]
    snapshot: Compiled[[Cpu, Action], None]


@njit
def frame_of(histogram: Histogram) -> Frame:
    """The frame of the calling program."""
    return Frame(histogram.frame.address - histogram.frame_size)


@njit
def is_wanted(action: Action, value: u64) -> bool:
    """Whether a value triggers a snapshot: it must do so for the whole histogram, not only for the key."""
    return value != action.latest if action.on_change else value > action.latest


@functools.cache
def build() -> ActionHandlers:
    """Compiles them."""

    @callback
    def synthetic(cpu: Cpu, action: Action) -> None:
        values = Words(frame_of(action.histogram).values.address + action.values * 8)
        make(cpu, action.array, action.event, values)

    @callback
    def snapshot(cpu: Cpu, action: Action) -> None:
        element, array = frame_of(action.histogram).element, action.array
        value = element.kept[action.tracked]
        if is_wanted(action, value):
            action.latest, action.taken = value, True
            copy(action.element, Bytes(element.address), action.histogram.element_size)
            array.take_snapshot_for_action(cpu, array)

    return ActionHandlers(synthetic, snapshot)
