# SPDX-License-Identifier: GPL-2.0-only
"""The program that fetches the arguments of a probe: a few steps for each argument, the last of which stores it in the entry.

A step makes a value, or changes the previous step's value: a number, or a text that the host can read.
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
    bits: u8  # ... the number of bits
    size: u16  # bytes of a number, of a field, or of a text
    count: u16  # number of values
    to: u16  # offset of the value in the entry
    operand: u64
    text: Values[u8]  # of TEXT
    names: SymbolNames  # of STORE_SYMBOL


# Values of `op`, first those that start a value
(
    END,
    REGISTER,  # register number `operand`
    IMMEDIATE,
    PLACE,  # the probed address plus `operand`
    COMM,  # a text: the task's name
    TEXT,
    FIELD,  # the field at offset `operand` of the probed event's entry
    FIELD_TEXT,  # the same for a text in an array of characters
    FIELD_DATA,  # the same for a variable-length field
    DEREFERENCE,  # the word at the address so far plus `operand`
    STORE,
    STORE_MEMORY,  # the number at the address plus `operand`, or `count` numbers
    STORE_STRING,  # the string there
    STORE_STRINGS,  # `count` strings, by the pointers there
    STORE_SYMBOL,  # the name of an address
    BITS,  # keeps some bits of the stored values
) = (u64(n) for n in range(16))

# Bits of `flags`
USER = u64(1)  # the memory is user memory
SIGNED = u64(2)  # the field's number is signed
FAULT_TEXT = u64(4)  # stores a text for an unreadable string
RELATIVE = u64(8)  # the variable-length field counts its data's offset from its own end
USER_STRINGS = u64(16)  # of STORE_STRINGS: the strings are in user memory, wherever the pointers are
