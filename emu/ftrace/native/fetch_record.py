# SPDX-License-Identifier: GPL-2.0-only
"""The program that fetches the arguments of a probe: a few steps for each, which end with storing it in the entry.

A step makes a value, or changes that of the step before: a number, or a text that the host can read.
`emu.ftrace.dynevent.fetch_program` makes them.
"""

from __future__ import annotations

from emu.ftrace.native.symbol_names import SymbolNames
from emu.native.records import Record, Values, u8, u16, u64

__all__ = ["FetchStep"]


class FetchStep(Record):
    """A step."""

    op: u8
    flags: u8
    first_bit: u8  # of BITS
    bits: u8  # ... how many
    size: u16  # bytes of a number, of a field, or of a text
    count: u16  # of values
    to: u16  # where the value goes in the entry
    operand: u64
    text: Values[u8]  # of TEXT
    names: SymbolNames  # of STORE_SYMBOL


# Values of `op`, the first of those that begin a value
(
    END,
    REGISTER,  # `operand`: which of the registers
    IMMEDIATE,
    PLACE,  # the address that is probed, and `operand`
    COMM,  # a text: the name of the task
    TEXT,
    FIELD,  # `operand`: where in the entry of the event that is probed
    FIELD_TEXT,  # the same for a text, an array of characters
    FIELD_DATA,  # the same for a field of variable length
    DEREFERENCE,  # the word that is `operand` bytes behind the address so far
    STORE,
    STORE_MEMORY,  # what is `operand` bytes behind the address, or `count` of such
    STORE_STRING,  # the string there
    STORE_STRINGS,  # `count` strings to which pointers there point
    STORE_SYMBOL,  # the name of an address
    BITS,  # of what is stored, some bits
) = (u64(n) for n in range(16))

# Bits of `flags`
USER = u64(1)  # the memory is the program's
SIGNED = u64(2)  # the number of a field
FAULT_TEXT = u64(4)  # what a string is that cannot be read is written out
RELATIVE = u64(8)  # a field of variable length says where its data is from its own end on
USER_STRINGS = u64(16)  # of STORE_STRINGS: the strings are in the program's memory, wherever the pointers are
