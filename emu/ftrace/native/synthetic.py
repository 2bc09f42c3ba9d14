# SPDX-License-Identifier: GPL-2.0-only
"""An entry of a synthetic event, made of values that an action of a hist has found."""

from __future__ import annotations

import numpy as np

from emu.ftrace.native import event_record, stages
from emu.native import njit
from emu.native.memory import copy_string
from emu.native.pointers import load_u64, store_u8, store_u16, store_u32, store_u64
from emu.native.record import Fields

__all__ = ["make"]

_fields = Fields()
EVENT = _fields.word()  # address of its event_record
FIELDS = _fields.word()  # address of a word about each field: its offset << 8 | what it is
COUNT = _fields.word()  # how many
WORDS = _fields.count

# What a field is: the bytes of a number, or
STRING, DYNAMIC_STRING = np.uint64(16), np.uint64(17)
WHAT_MASK, OFFSET = np.uint64(0xFF), np.uint64(8)

ZERO, ONE, TWO, FOUR, WORD = (np.uint64(n) for n in (0, 1, 2, 4, 8))
STRING_ROOM = np.uint64(256)  # of a string in the fixed part
HALF = np.uint64(16)  # bits: a __data_loc word is the offset, and above it the length
NUL = np.uint8(0)
LARGEST = np.uint64(event_record.LARGEST_ENTRY)


@njit
def make(cpu, array, synthetic, values):
    """Has a synthetic event happen.

    Args:
        cpu: on which.
        array: the record of any array.
        synthetic: says what the event is.
        values: address of a word for each field: its number, or the address of a string with a NUL in its first 256 bytes.
    """
    event = load_u64(synthetic + EVENT)
    end = load_u64(event + event_record.SIZE)
    if end > LARGEST:
        return
    stage = stages.enter(array)
    if stage == ZERO:
        return
    place = stage + WORD
    while place < stage + end:
        store_u64(place, ZERO)
        place += WORD
    for n in range(load_u64(synthetic + COUNT)):
        field = load_u64(load_u64(synthetic + FIELDS) + np.uint64(n) * WORD)
        value = load_u64(values + np.uint64(n) * WORD)
        what, place = field & WHAT_MASK, stage + (field >> OFFSET)
        if what == WORD:
            store_u64(place, value)
        elif what == FOUR:
            store_u32(place, value)
        elif what == TWO:
            store_u16(place, value)
        elif what == ONE:
            store_u8(place, value)
        elif what == STRING:
            copy_string(place, value, STRING_ROOM)
        elif end < LARGEST:
            size = copy_string(stage + end, value, min(STRING_ROOM, LARGEST - end))
            store_u32(place, end | size << HALF)
            end += size
    while end % FOUR != ZERO:
        store_u8(stage + end, NUL)
        end += ONE
    stages.put(cpu, array, event, ZERO, stage, end)
    stages.leave(array)
