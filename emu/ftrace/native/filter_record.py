# SPDX-License-Identifier: GPL-2.0-only
"""The program of an event's filter: its steps, and the patterns of strings.

A pattern is a word for each of its elements. It takes one character, or any number of them.
"""

from __future__ import annotations

from emu.native.records import Record, Values, u8, u16, u32, u64

__all__ = ["FilterStep"]


class FilterStep(Record):
    """Looks at one thing, and says which step comes next, in either case; or none, because the whole filter's value is known."""

    test: u8
    source: u8  # where that thing is found, and as what
    size: u16  # bytes of the field
    offset: u32  # in the entry
    value: u64  # a number
    length: u64  # of WITHIN: how many numbers from `value` on; of STRING and UNLIKE: the pattern's elements
    pattern: Values[u64]  # of STRING and UNLIKE
    if_true: FilterStep  # one further on, or none: its address is DISCARD or KEEP then
    if_false: FilterStep


DISCARD, KEEP = u64(0), u64(1)

# Values of `test`
EQUAL, LESS, LESS_OR_EQUAL, SIGNED_LESS, SIGNED_LESS_OR_EQUAL, ANY_BIT, WITHIN, STRING, UNLIKE = (u64(n) for n in range(9))

# Values of `source`: numbers, then strings
UNSIGNED, SIGNED, CPU, ARRAY, DATA_LOC, REL_LOC, POINTER, USER_POINTER, COMM = (u64(n) for n in range(9))

# Elements of a pattern. Below ANY_CHARACTER is the character itself.
ANY_CHARACTER, ANY_RUN = u64(256), u64(257)
CLASS = u64(258)  # and from there: where the pattern has a bit for each character, behind its elements
