# SPDX-License-Identifier: GPL-2.0-only
"""The map of a histogram (`native.hist_record`): finds the elements of keys, and makes them."""

from __future__ import annotations

from emu.ftrace.native.hist_record import INDEX_BITS, Element, Histogram
from emu.native.functions import njit
from emu.native.records import Words, u64

__all__ = ["count_number", "find", "insert"]

FACTOR, FOLD, TOP = u64(0x9E37_79B9_7F4A_7C15), 32, 40
INDEX = u64((1 << INDEX_BITS) - 1)
HEADER = 2  # words of an element before those that it keeps


@njit
def mixed(value: u64, word: u64) -> u64:
    value = (value ^ word) * FACTOR
    return value ^ value >> FOLD


@njit
def hash_of(key: Words, size: u64) -> u64:
    """A hash of a key's words. The upper bits depend on all of them."""
    value = size
    for n in range(size):
        value = mixed(value, key[n])
    return value * FACTOR


@njit
def same(key: Words, other: Words, size: u64) -> bool:
    n = u64(0)
    while n < size and key[n] == other[n]:
        n += 1
    return n == size


@njit
def element_in(histogram: Histogram, slot: u64) -> Element:
    return Element(histogram.elements.address + ((slot & INDEX) - 1) * histogram.element_size)


@njit
def is_of(slot: u64, hashed: u64) -> bool:
    """Whether a non-empty slot may belong to a key with this hash."""
    return (slot ^ hashed) & ~INDEX == 0


@njit
def slot_of(histogram: Histogram, key: Words, hashed: u64) -> u64:
    """The index of a key's slot, or of the empty slot where it belongs. There is always one."""
    slots, mask, size = histogram.slots, histogram.slot_mask, histogram.key_size
    at = hashed >> TOP & mask
    while True:
        slot = slots[at]
        if slot == 0 or (is_of(slot, hashed) and same(key, element_in(histogram, slot).kept, size)):
            return at
        at = at + 1 & mask


@njit
def take(histogram: Histogram, at: u64, hashed: u64) -> Element | None:
    """Takes an element for an empty slot. None if there is no room, which is counted."""
    used = histogram.used
    if used == histogram.capacity:
        histogram.drops += 1
        return None
    histogram.used = used + 1
    slot = hashed & ~INDEX | used + 1
    histogram.slots[at] = slot
    return element_in(histogram, slot)


@njit
def find(histogram: Histogram, key: Words) -> Element | None:
    """A key's element; None if there is none."""
    slot = histogram.slots[slot_of(histogram, key, hash_of(key, histogram.key_size))]
    return None if slot == 0 else element_in(histogram, slot)


@njit
def insert(histogram: Histogram, key: Words) -> Element | None:
    """A key's element. A new one has only its key. None if there is no room, which is counted."""
    key_size = histogram.key_size
    hashed = hash_of(key, key_size)
    at = slot_of(histogram, key, hashed)
    slot = histogram.slots[at]
    if slot != 0:
        return element_in(histogram, slot)
    element = take(histogram, at, hashed)
    if element is not None:
        element.hitcount, element.flags = 0, 0
        for n in range(histogram.element_size // 8 - HEADER):
            element.kept[n] = key[n] if n < key_size else 0
    return element


@njit
def element_of_number(histogram: Histogram, number: u64) -> Element | None:
    """The same for a one-word key, if only keys and hitcounts are kept."""
    hashed = mixed(1, number) * FACTOR
    slots, mask = histogram.slots, histogram.slot_mask
    at = hashed >> TOP & mask
    while True:
        slot = slots[at]
        if slot == 0:
            element = take(histogram, at, hashed)
            if element is not None:
                element.hitcount, element.kept[0] = 0, number
            return element
        if is_of(slot, hashed):
            found = element_in(histogram, slot)
            if found.kept[0] == number:
                return found
        at = at + 1 & mask


@njit
def count_number(histogram: Histogram, number: u64) -> None:
    """Counts an event with a one-word key, if only keys and hitcounts are kept. Often the key is the previous event's."""
    element = histogram.latest
    if element is None or element.kept[0] != number:
        element = element_of_number(histogram, number)
        if element is None:
            return
        histogram.latest = element
    element.hitcount += 1
