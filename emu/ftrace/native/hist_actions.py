# SPDX-License-Identifier: GPL-2.0-only
"""What actions of histograms do: the functions that programs call (`native.hist_record`).

This code is compiled when the first action is set.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from numba import types

from emu.ftrace.native import array_record, hist_record
from emu.ftrace.native.synthetic import make
from emu.native import cfunc
from emu.native.memory import copy
from emu.native.pointers import call_handler, load_u64, store_u64
from emu.native.record import Fields

__all__ = ["ActionHandlers", "build"]

_HANDLER = types.void(types.uint64, types.uint64)
ZERO, ONE = np.uint64(0), np.uint64(1)

_fields = Fields()
HIST = _fields.word()  # address of the hist_record
ARRAY = _fields.word()  # the array_record of its array
EVENT = _fields.word()  # of what makes a synthetic event: what that is (`native.synthetic`)
VALUES = _fields.word()  # offset in the frame of a word for each of its fields
TRACKED = _fields.word()  # of a snapshot: offset in the element of the value that decides
LATEST = _fields.word()  # that value at the latest snapshot
TAKEN = _fields.word()  # 1: there was one
ON_CHANGE = _fields.word()  # 1: one is taken when the value is not LATEST; 0: when it is greater
ELEMENT = _fields.word()  # address of a copy of the element that led to the latest snapshot
WORDS = _fields.count


class ActionHandlers(NamedTuple):
    """The addresses of void (*)(cpu, action)."""

    synthetic: int
    snapshot: int


@functools.cache
def build() -> ActionHandlers:
    """Compiles them."""

    @cfunc(_HANDLER)
    def synthetic(cpu, action):
        hist = load_u64(action + HIST)
        frame = load_u64(hist + hist_record.FRAME) - load_u64(hist + hist_record.FRAME_SIZE)
        make(cpu, load_u64(action + ARRAY), load_u64(action + EVENT), frame + load_u64(action + VALUES))

    @cfunc(_HANDLER)
    def snapshot(cpu, action):
        """A snapshot is taken only if the value is so for the whole histogram, not only for the key."""
        hist = load_u64(action + HIST)
        element, latest = load_u64(hist + hist_record.ELEMENT), load_u64(action + LATEST)
        value = load_u64(element + load_u64(action + TRACKED))
        wanted = value != latest if load_u64(action + ON_CHANGE) != ZERO else value > latest
        if wanted:
            store_u64(action + LATEST, value)
            store_u64(action + TAKEN, ONE)
            copy(load_u64(action + ELEMENT), element, load_u64(hist + hist_record.ELEMENT_SIZE))
            array = load_u64(action + ARRAY)
            call_handler(load_u64(array + array_record.TAKE_SNAPSHOT_FOR_ACTION), cpu, array)

    return ActionHandlers(synthetic.address, snapshot.address)
