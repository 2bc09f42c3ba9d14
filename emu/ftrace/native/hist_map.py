# SPDX-License-Identifier: GPL-2.0-only
"""The map of a histogram (`native.hist_record`): finds the elements of keys, and makes them."""

from __future__ import annotations

import numpy as np

from emu.ftrace.native import hist_record
from emu.native import njit
from emu.native.pointers import load_u64, store_u64

__all__ = ["find", "insert"]

ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(8)
FACTOR, FOLD, TOP = np.uint64(0x9E37_79B9_7F4A_7C15), np.uint64(32), np.uint64(40)
INDEX = np.uint64((1 << hist_record.INDEX_BITS) - 1)


@njit
def hash_of(key, size):
    """Of the words of a key. All bits depend on all of the key's."""
    value = size
    at = ZERO
    while at < size:
        value = (value ^ load_u64(key + at)) * FACTOR
        value ^= value >> FOLD
        at += WORD
    return value * FACTOR


@njit
def same(key, other, size):
    at = ZERO
    while at < size:
        if load_u64(key + at) != load_u64(other + at):
            return False
        at += WORD
    return True


@njit
def place_of(hist, key, hashed):
    """The slot of a key, or the empty one where it belongs. There always is one."""
    slots, mask = load_u64(hist + hist_record.SLOTS), load_u64(hist + hist_record.SLOT_MASK)
    elements, element_size = load_u64(hist + hist_record.ELEMENTS), load_u64(hist + hist_record.ELEMENT_SIZE)
    key_size = load_u64(hist + hist_record.KEY_SIZE)
    at = hashed >> TOP
    while True:
        place = slots + (at & mask) * WORD
        slot = load_u64(place)
        if slot == ZERO:
            return place
        if (slot ^ hashed) & ~INDEX == ZERO and same(key, elements + ((slot & INDEX) - ONE) * element_size, key_size):
            return place
        at += ONE


@njit
def element_in(hist, slot):
    return load_u64(hist + hist_record.ELEMENTS) + ((slot & INDEX) - ONE) * load_u64(hist + hist_record.ELEMENT_SIZE)


@njit
def find(hist, key):
    """The address of a key's element; 0: it has none."""
    slot = load_u64(place_of(hist, key, hash_of(key, load_u64(hist + hist_record.KEY_SIZE))))
    return ZERO if slot == ZERO else element_in(hist, slot)


@njit
def insert(hist, key):
    """The address of a key's element, and whether it is new: then it is made, with nothing but the key in it.

    The address is 0 if there is no room. Hits and drops are counted.
    """
    key_size = load_u64(hist + hist_record.KEY_SIZE)
    hashed = hash_of(key, key_size)
    place = place_of(hist, key, hashed)
    slot = load_u64(place)
    is_new = slot == ZERO
    if is_new:
        used = load_u64(hist + hist_record.USED)
        if used == load_u64(hist + hist_record.CAPACITY):
            store_u64(hist + hist_record.DROPS, load_u64(hist + hist_record.DROPS) + ONE)
            return ZERO, False
        store_u64(hist + hist_record.USED, used + ONE)
        slot = hashed & ~INDEX | (used + ONE)
        store_u64(place, slot)
        element = element_in(hist, slot)
        element_size = load_u64(hist + hist_record.ELEMENT_SIZE)
        at = ZERO
        while at < element_size:
            store_u64(element + at, load_u64(key + at) if at < key_size else ZERO)
            at += WORD
    store_u64(hist + hist_record.HITS, load_u64(hist + hist_record.HITS) + ONE)
    return element_in(hist, slot), is_new
