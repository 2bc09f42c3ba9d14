# SPDX-License-Identifier: GPL-2.0-only
"""The map of a histogram (`native.hist_record`): finds the elements of keys, and makes them."""

from __future__ import annotations

import numpy as np

from emu.ftrace.native import hist_record
from emu.native import njit
from emu.native.pointers import load_u64, store_u64

__all__ = ["count_number", "count_up", "find", "insert"]

ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(8)
FACTOR, FOLD, TOP = np.uint64(0x9E37_79B9_7F4A_7C15), np.uint64(32), np.uint64(40)
INDEX = np.uint64((1 << hist_record.INDEX_BITS) - 1)


@njit
def mixed(value, word):
    value = (value ^ word) * FACTOR
    return value ^ value >> FOLD


@njit
def hash_of(key, size):
    """Of the words of a key. The upper bits depend on all of them."""
    value = size
    at = ZERO
    while at < size:
        value = mixed(value, load_u64(key + at))
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
def count_up(address):
    store_u64(address, load_u64(address) + ONE)


@njit
def count_number(hist, number):
    """Counts an event whose key is one word. Nothing but keys and hitcount is kept. Often the key is that of the event before."""
    element = load_u64(hist + hist_record.LATEST)
    if element != ZERO and load_u64(element) == number:
        count_up(element + WORD)
        return
    hashed = mixed(WORD, number) * FACTOR
    slots, mask = load_u64(hist + hist_record.SLOTS), load_u64(hist + hist_record.SLOT_MASK)
    at = hashed >> TOP
    while True:
        place = slots + (at & mask) * WORD
        slot = load_u64(place)
        if (slot ^ hashed) & ~INDEX == ZERO and slot != ZERO:
            element = element_in(hist, slot)
            if load_u64(element) == number:
                break
        if slot == ZERO:
            used = load_u64(hist + hist_record.USED)
            if used == load_u64(hist + hist_record.CAPACITY):
                count_up(hist + hist_record.DROPS)
                return
            store_u64(hist + hist_record.USED, used + ONE)
            slot = hashed & ~INDEX | (used + ONE)
            store_u64(place, slot)
            element = element_in(hist, slot)
            store_u64(element, number)
            store_u64(element + WORD, ZERO)
            break
        at += ONE
    store_u64(hist + hist_record.LATEST, element)
    count_up(element + WORD)


@njit
def find(hist, key):
    """The address of a key's element; 0: it has none."""
    slot = load_u64(place_of(hist, key, hash_of(key, load_u64(hist + hist_record.KEY_SIZE))))
    return ZERO if slot == ZERO else element_in(hist, slot)


@njit
def insert(hist, key):
    """The address of a key's element, and whether it is new: then it is made, with nothing but the key in it.

    The address is 0 if there is no room, which is counted.
    """
    key_size = load_u64(hist + hist_record.KEY_SIZE)
    hashed = hash_of(key, key_size)
    place = place_of(hist, key, hashed)
    slot = load_u64(place)
    is_new = slot == ZERO
    if is_new:
        used = load_u64(hist + hist_record.USED)
        if used == load_u64(hist + hist_record.CAPACITY):
            count_up(hist + hist_record.DROPS)
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
    return element_in(hist, slot), is_new
