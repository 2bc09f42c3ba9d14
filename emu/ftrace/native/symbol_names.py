# SPDX-License-Identifier: GPL-2.0-only
"""The names of code addresses, for native code: `vfs_read+0x12/0x260`."""

from __future__ import annotations

import numpy as np

from emu.native import njit
from emu.native.memory import copy_text
from emu.native.pointers import load_u64, store_u8
from emu.native.record import Fields

__all__ = ["put_name"]

_fields = Fields()
COUNT = _fields.word()
STARTS = _fields.word()  # address of the addresses at which functions begin, ascending
ENDS = _fields.word()  # address of those at which they end
NAMES = _fields.word()  # address of the addresses of their names
TAILS = _fields.word()  # address of the addresses of what follows the size, ` [module]` or nothing
WORDS = _fields.count

ZERO, ONE, TWO, WORD = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(8)
NUL = np.uint8(0)
PLUS, SLASH, X, DIGIT, LETTER = (np.uint64(ord(character)) for character in "+/x0a")
TEN = np.uint64(10)
LONGEST_NUMBER = np.uint64(20)  # bytes: a sign, 0x, sixteen digits, and a NUL


@njit
def put_number(to, number):
    """Writes a hexadecimal number. Returns how many bytes that are."""
    store_u8(to, np.uint8(DIGIT))
    store_u8(to + ONE, np.uint8(X))
    digits = ONE
    while digits < np.uint64(16) and number >> (digits * np.uint64(4)) != ZERO:
        digits += ONE
    for n in range(digits):
        digit = number >> ((digits - ONE - np.uint64(n)) * np.uint64(4)) & np.uint64(15)
        character = digit + DIGIT if digit < TEN else digit - TEN + LETTER
        store_u8(to + TWO + np.uint64(n), np.uint8(character))
    return digits + TWO


@njit
def put_name(names, to, room, address):
    """Writes the name of an address with a NUL, in at most `room` bytes. Returns how many; 0: there is too little room.

    An address that has no name is written as a number. `names`: the record.
    """
    needed = LONGEST_NUMBER + LONGEST_NUMBER
    if room < needed:
        return ZERO
    low, high = ZERO, load_u64(names + COUNT)
    while low < high:
        middle = (low + high) >> ONE
        if load_u64(load_u64(names + STARTS) + middle * WORD) <= address:
            low = middle + ONE
        else:
            high = middle
    place = (low - ONE) * WORD
    if low == ZERO or address >= load_u64(load_u64(names + ENDS) + place):
        at = put_number(to, address)
    else:
        start, end = load_u64(load_u64(names + STARTS) + place), load_u64(load_u64(names + ENDS) + place)
        at = copy_text(to, load_u64(load_u64(names + NAMES) + place), room - needed)
        store_u8(to + at, np.uint8(PLUS))
        at += ONE + put_number(to + at + ONE, address - start)
        store_u8(to + at, np.uint8(SLASH))
        at += ONE + put_number(to + at + ONE, end - start)
        at += copy_text(to + at, load_u64(load_u64(names + TAILS) + place), room - at - ONE)
    store_u8(to + at, NUL)
    return at + ONE
