# SPDX-License-Identifier: GPL-2.0-only
"""The program of an event filter: its steps, and patterns for strings.

A pattern has one word per element. An element matches one character, or any number of characters.
"""

from __future__ import annotations

from emu.native.records import Record, Values, u8, u16, u32, u64

__all__ = ["FilterStep"]


class FilterStep(Record):
    """A step examines one value and gives the next step for either outcome; or none, if the filter's result is known."""

    test: u8
    source: u8  # where the value is, and its type
    size: u16  # bytes of the field
    offset: u32  # in the entry
    value: u64  # a number
    length: u64  # of WITHIN: the number of values from `value` on; of STRING and UNLIKE: the number of elements
    pattern: Values[u64]  # of STRING and UNLIKE
    if_true: FilterStep  # a later step, or none: then its address is DISCARD or KEEP
    if_false: FilterStep


DISCARD, KEEP = u64(0), u64(1)

# Values of `test`
EQUAL, LESS, LESS_OR_EQUAL, SIGNED_LESS, SIGNED_LESS_OR_EQUAL, ANY_BIT, WITHIN, STRING, UNLIKE = (u64(n) for n in range(9))

# Values of `source`: numbers, then strings
UNSIGNED, SIGNED, CPU, ARRAY, DATA_LOC, REL_LOC, POINTER, USER_POINTER, COMM = (u64(n) for n in range(9))

# Elements of a pattern. Values below ANY_CHARACTER are characters.
ANY_CHARACTER, ANY_RUN = u64(256), u64(257)
CLASS = u64(258)  # plus the index in the pattern of a bitmap of characters, stored after the elements
