# SPDX-License-Identifier: GPL-2.0-only
"""Makes an entry of a synthetic event from values found by a hist action."""

from __future__ import annotations

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.event.call import COMMON_SIZE
from emu.ftrace.native import stages
from emu.ftrace.native.entry import end_entry
from emu.ftrace.native.synthetic_record import STRING, Synthetic, SyntheticField
from emu.ftrace.native.trace_records import TraceArray
from emu.ftrace.native.trace_values import LARGEST_ENTRY
from emu.native.functions import njit
from emu.native.memory import copy_string, store_number
from emu.native.records import Bytes, Words, u64

__all__ = ["make"]

STRING_ROOM = u64(256)  # of a string in the fixed part
HALF = 16  # bits: in a __data_loc word, the length is above the offset


@njit
def put_field(field: SyntheticField, entry: Bytes, end: u64, value: u64) -> u64:
    """Stores a field in an entry that ends at `end`. Returns the new end. `value`: as in `make`."""
    offset, kind = field.offset, field.kind
    if kind == STRING:
        copy_string(Bytes(entry.address + offset), Bytes(value), STRING_ROOM)
    elif kind < STRING:
        store_number(entry, offset, value, kind)
    elif end < LARGEST_ENTRY:
        size = copy_string(Bytes(entry.address + end), Bytes(value), min(STRING_ROOM, LARGEST_ENTRY - end))
        store_number(entry, offset, end | size << HALF, 4)
        return end + size
    return end


@njit
def make(cpu: Cpu, array: TraceArray, synthetic: Synthetic, values: Words) -> None:
    """Generates a synthetic event.

    Args:
        cpu: the CPU.
        array: any array.
        synthetic: describes the event.
        values: for each field its number, or the address of a string with a NUL in its first 256 bytes.
    """
    end = synthetic.event.size
    if end > LARGEST_ENTRY:
        return
    stage = stages.enter(array)
    if stage == 0:
        return
    entry = Bytes(stage)
    for n in range(u64(COMMON_SIZE // 8), (end + 7) // 8):
        Words(stage)[n] = 0
    for n in range(synthetic.count):
        end = put_field(synthetic.fields[n], entry, end, values[n])
    stages.put(cpu, array, synthetic.event, None, entry, end_entry(entry, end))
    stages.leave(array)
