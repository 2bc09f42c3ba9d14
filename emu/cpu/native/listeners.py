# SPDX-License-Identifier: GPL-2.0-only
"""Functions that run before instructions are executed, by places: a hash table with linear probing.

The translator looks at it for each instruction, and an instruction that has listeners for each execution.
"""

from __future__ import annotations

from emu.cpu.native.cpu_records import Cpu, Listener, ListenerTable, Point
from emu.native.functions import njit, shared
from emu.native.hash_table import first_slot
from emu.native.records import Records, Words, u64

__all__ = ["add", "copy_used", "has", "remove", "tell"]


@njit
def slot_for(table: ListenerTable, place: u64) -> Point:
    """The point of a place, or the free slot in which it would be. The table must have a free slot."""
    slot = first_slot(place, table.last)
    while True:
        found = table.slots[slot]
        if found.place == place or found.place == 0:
            return found
        slot = (slot + 1) & table.last


@njit
def has(table: ListenerTable, place: u64) -> bool:
    """Whether a place has listeners."""
    found = slot_for(table, place)
    return found.place == place and found.first is not None


@njit
def point_for(table: ListenerTable, place: u64) -> Point:
    """The point of a place, which is made if there is none. The table must have a free slot."""
    found = slot_for(table, place)
    if found.place != place:
        found.place = place
        table.used += 1
    return found


@shared
def add(table: ListenerTable, places: Words, listeners: Records[Listener], count: u64) -> None:
    """Adds a listener to each of `count` places, after those that are there. The table must have room."""
    for n in range(count):
        new, point = listeners[n], point_for(table, places[n])
        last = point.first
        if last is None:
            point.first = new
            continue
        following = last.next
        while following is not None:
            last = following
            following = last.next
        last.next = new


@shared
def remove(table: ListenerTable, places: Words, listeners: Records[Listener], count: u64) -> None:
    """Removes them. They keep their `next`: native code may be calling one of them."""
    for n in range(count):
        old, point = listeners[n], slot_for(table, places[n])
        old.handler = None
        before = point.first
        if before is None:
            continue
        if before.address == old.address:
            point.first = old.next
            continue
        following = before.next
        while following is not None and following.address != old.address:
            before = following
            following = before.next
        if following is not None:
            before.next = old.next


@shared
def copy_used(table: ListenerTable, larger: ListenerTable) -> None:
    """Copies the points that have listeners to an empty table."""
    for n in range(table.last + 1):
        old = table.slots[n]
        if old.place != 0 and old.first is not None:
            point_for(larger, old.place).first = old.first


@njit
def tell(cpu: Cpu, table: ListenerTable, place: u64) -> None:
    """An instruction is about to be executed: calls the listeners of its place, in the order in which they came.

    Unicorn executes a repeated string instruction as many blocks, and a store that has changed its own block twice. These are
    told once: nothing was counted in between, or only the second block of that store.
    """
    again = cpu.told_at == cpu.instructions or (cpu.rewritten == cpu.instructions and cpu.told_at + 1 == cpu.rewritten)
    if cpu.told == place and again:
        return
    point = slot_for(table, place)
    if point.place != place:
        return
    cpu.told = place
    cpu.told_at = cpu.instructions
    listener = point.first
    while listener is not None:
        handler = listener.handler
        if handler is not None:
            handler(cpu, listener.argument)
        listener = listener.next
