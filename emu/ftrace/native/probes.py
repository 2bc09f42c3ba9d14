# SPDX-License-Identifier: GPL-2.0-only
"""What happens at sites of functions that have commands of set_ftrace_filter.

The sites are found in a table: a word that is its number of slots less one, a power of two less one, then the slots, two words
each: the site's offset in the kernel mapping, and the address of its first consumer, or 0. A site's slot is the first free one,
or its own, from `slot_of` on, round the table.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.native import array_record, consumer, event_context
from emu.native import njit
from emu.native.pointers import call_handler, load_u64, store_u64

__all__ = ["act", "find", "table_of", "tell"]

ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(8)
SLOT = np.uint64(16)  # bytes
SPREAD, TOP = np.uint64(0x9E37_79B9_7F4A_7C15), np.uint64(32)  # neighbours are far from each other


@njit
def slot_of(place, mask):
    return place * SPREAD >> TOP & mask


@njit
def fill(table, mask, places, consumers):
    for n in range(len(places)):
        slot = slot_of(places[n], mask)
        while table[ONE + slot + slot + ONE] != ZERO:
            slot = (slot + ONE) & mask
        table[ONE + slot + slot] = places[n]
        table[ONE + slot + slot + ONE] = consumers[n]


def table_of(places: NDArray[np.uint64], consumers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The table of sites. `places`: their offsets in the kernel mapping; `consumers`: the first consumer of each."""
    slots = 2 << len(places).bit_length()
    table = np.zeros(1 + 2 * slots, np.uint64)
    table[0] = slots - 1
    fill(table, table[0], places, consumers)
    return table


@njit
def find(array, ip):
    """The first consumer of the site at `ip`; 0: it has none."""
    place = ip - load_u64(array + array_record.KERNEL_START)
    table = load_u64(array + array_record.PROBES)
    mask = load_u64(table)
    slot = slot_of(place, mask)
    while True:
        found = table + WORD + slot * SLOT
        first = load_u64(found + WORD)
        if first == ZERO or load_u64(found) == place:
            return first
        slot = (slot + ONE) & mask


@njit
def tell(array):
    """Stores what consumers are told: that a function was called."""
    store_u64(load_u64(array + array_record.EVENT_CONTEXT) + event_context.ENTRY, ZERO)


@njit
def act(cpu, following, post):
    """Has those consumers act that do so before the tracer records the call, or (`post`) after it."""
    while following != ZERO:
        acting, following = following, load_u64(following + consumer.NEXT)
        if load_u64(acting + consumer.POST) == post:
            call_handler(load_u64(acting + consumer.HANDLER), cpu, acting)
