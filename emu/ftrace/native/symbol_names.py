# SPDX-License-Identifier: GPL-2.0-only
"""The names of code addresses, for native code: `vfs_read+0x12/0x260`."""

from __future__ import annotations

from emu.native.functions import njit
from emu.native.memory import copy_text
from emu.native.records import Bytes, Record, Records, u64

__all__ = ["Symbol", "SymbolNames", "put_name"]

PLUS, SLASH, X, DIGIT, LETTER = (u64(ord(character)) for character in "+/x0a")
LONGEST_NUMBERS = 2 * 20  # bytes: a sign, 0x, sixteen digits, and a NUL


class Symbol(Record):
    """A function or a variable."""

    start: u64
    end: u64
    name: Bytes
    tail: Bytes  # the text after the size: ` [module]` or nothing


class SymbolNames(Record):
    """All symbols."""

    count: u64
    symbols: Records[Symbol]  # sorted by address


@njit
def put_number(to: Bytes, number: u64) -> u64:
    """Writes a hexadecimal number. Returns its length in bytes."""
    to[0] = DIGIT
    to[1] = X
    digits = u64(1)
    while digits < 16 and number >> digits * 4 != 0:
        digits += 1
    for n in range(digits):
        digit = number >> (digits - 1 - n) * 4 & 15
        to[n + 2] = digit + DIGIT if digit < 10 else digit - 10 + LETTER
    return digits + 2


@njit
def behind(names: SymbolNames, address: u64) -> u64:
    """The number of symbols that begin at or before an address."""
    low, high = u64(0), names.count
    while low < high:
        middle = (low + high) // 2
        if names.symbols[middle].start <= address:
            low = middle + 1
        else:
            high = middle
    return low


@njit
def put_name(names: SymbolNames, to: Bytes, room: u64, address: u64) -> u64:
    """Writes an address's name with a NUL, in at most `room` bytes. Returns its size; 0 if there is too little room.

    An address without a name is written as a number.
    """
    if room < LONGEST_NUMBERS:
        return 0
    n = behind(names, address)
    symbol = names.symbols[n - 1]
    if n == 0 or address >= symbol.end:
        at = put_number(to, address)
    else:
        at = copy_text(to, symbol.name, room - LONGEST_NUMBERS)
        to[at] = PLUS
        at += 1 + put_number(Bytes(to.address + at + 1), address - symbol.start)
        to[at] = SLASH
        at += 1 + put_number(Bytes(to.address + at + 1), symbol.end - symbol.start)
        at += copy_text(Bytes(to.address + at), symbol.tail, room - at - 1)
    to[at] = 0
    return at + 1
