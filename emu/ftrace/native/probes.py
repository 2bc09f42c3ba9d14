# SPDX-License-Identifier: GPL-2.0-only
"""What happens at probed places: at sites of functions that have commands of set_ftrace_filter or kprobes, and at breakpoints.

Places are found in a table: a word that is its number of slots less one, a power of two less one, then the slots, two words
each: the place's offset in the kernel mapping, and what belongs to it, an address that is not 0. For a site that is the first
consumer. A place's slot is the first free one, or its own, from `slot_of` on, round the table.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.native import array_record, consumer, event_context, kprobes_record
from emu.native import njit
from emu.native.pointers import call_handler, load_u64, store_u64

__all__ = ["act", "at_site", "find", "table_of", "tell", "tell_at_site", "write_at_site"]

ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(8)
SLOT = np.uint64(16)  # bytes
SPREAD, TOP = np.uint64(0x9E37_79B9_7F4A_7C15), np.uint64(32)  # neighbours are far from each other


@njit
def slot_of(place, mask):
    return place * SPREAD >> TOP & mask


@njit
def fill(table, mask, places, belongings):
    for n in range(len(places)):
        slot = slot_of(places[n], mask)
        while table[ONE + slot + slot + ONE] != ZERO:
            slot = (slot + ONE) & mask
        table[ONE + slot + slot] = places[n]
        table[ONE + slot + slot + ONE] = belongings[n]


def table_of(places: NDArray[np.uint64], belongings: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The table of these places, and what belongs to each."""
    slots = 2 << len(places).bit_length()
    table = np.zeros(1 + 2 * slots, np.uint64)
    table[0] = slots - 1
    fill(table, table[0], places, belongings)
    return table


@njit
def find(table, place):
    """What belongs to a place; 0: the place is not in the table."""
    mask = load_u64(table)
    slot = slot_of(place, mask)
    while True:
        found = table + WORD + slot * SLOT
        belonging = load_u64(found + WORD)
        if belonging == ZERO or load_u64(found) == place:
            return belonging
        slot = (slot + ONE) & mask


@njit
def at_site(array, ip):
    """The first consumer of the site at `ip`; 0: it has none."""
    return find(load_u64(array + array_record.PROBES), ip - load_u64(array + array_record.KERNEL_START))


@njit
def tell(told, place, ip, saved, fill_registers):
    """Stores in the event_context what consumers are told: that the CPU has come to `ip`. The others are its fields."""
    store_u64(told + event_context.ENTRY, ZERO)
    store_u64(told + event_context.PLACE, place)
    store_u64(told + event_context.IP, ip)
    store_u64(told + event_context.RETURN_IP, ZERO)
    store_u64(told + event_context.SAVED, saved)
    store_u64(told + event_context.FILL, fill_registers)
    store_u64(told + event_context.WRITTEN, ZERO)


@njit
def tell_at_site(array, ip):
    """The same at the call site `ip` of a function."""
    fill_registers = load_u64(load_u64(array + array_record.KPROBES) + kprobes_record.FILL_AT_SITE)
    tell(load_u64(array + array_record.EVENT_CONTEXT), event_context.PLACE_FUNCTION, ip, ZERO, fill_registers)


@njit
def write_at_site(cpu, array):
    """Has the CPU go on with other registers, if a consumer at a site has changed them."""
    told = load_u64(array + array_record.EVENT_CONTEXT)
    if load_u64(told + event_context.WRITTEN) != ZERO:
        store_u64(told + event_context.WRITTEN, ZERO)
        call_handler(load_u64(load_u64(array + array_record.KPROBES) + kprobes_record.WRITE_AT_SITE), cpu, told)


@njit
def act(cpu, following, post):
    """Has those consumers act that do so before the tracer records the call, or (`post`) after it."""
    while following != ZERO:
        acting, following = following, load_u64(following + consumer.NEXT)
        if load_u64(acting + consumer.POST) == post:
            call_handler(load_u64(acting + consumer.HANDLER), cpu, acting)
