# SPDX-License-Identifier: GPL-2.0-only
"""Calls from a CPU to the layers above: functions for addresses at which blocks begin, and for host calls.

The addresses are in a hash table with linear probing. Only the translator and blocks that it has found there look at it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from emu.cpu.native.cpu_records import HOST_CALL_COUNT, HOST_CALL_REQUEST, NEVER, WATCHED_COUNT, Board, Callout, Callouts, Cpu
from emu.cpu.native.interrupts import end_turn
from emu.native.functions import external, njit, shared
from emu.native.hash_table import first_slot
from emu.native.records import Words, u64

Handler: TypeAlias = Callable[[Cpu, u64], None]

__all__ = [
    "build_watch_program_returns", "build_watch_returns", "call_function_at", "call_if_shown_first", "copy_used", "find",
    "host_call", "is_known", "is_looked_at", "set_handlers", "set_noticed", "take_returns",
]  # fmt: skip

LAST_WATCHED = u64(WATCHED_COUNT - 1)
PAGE = u64(12)  # log2 of the bytes of a page of `code_pages`


@njit
def slot_for(table: Callouts, place: u64) -> Callout:
    """The callout of an address, or the free slot in which it would be. The table must have a free slot."""
    slot = first_slot(place, table.last)
    while True:
        found = table.slots[slot]
        if found.place == place or found.place == 0:
            return found
        slot = (slot + 1) & table.last


@njit
def find(table: Callouts, place: u64) -> Callout | None:
    """The callout of an address; None if there is none."""
    found = slot_for(table, place)
    return found if found.place == place else None


@njit
def insert(table: Callouts, place: u64) -> Callout:
    """The callout of an address, which is made if there is none. The table must have a free slot."""
    found = slot_for(table, place)
    if found.place != place:
        found.place = place
        table.used += 1
    return found


@shared
def set_handlers(table: Callouts, places: Words, arguments: Words, count: u64, example: Callout) -> None:
    """Gives `count` addresses the handler of another callout, with arguments. The table must have room."""
    for n in range(count):
        callout = insert(table, places[n])
        callout.handler = example.handler
        callout.argument = arguments[n]


@shared
def set_noticed(table: Callouts, place: u64, example: Callout) -> None:
    """Gives an address the function `noticed` of another callout. The table must have room."""
    insert(table, place).noticed = example.noticed


@shared
def is_known(table: Callouts, place: u64) -> bool:
    """Whether an address is in the table."""
    return find(table, place) is not None


@shared
def take_returns(table: Callouts, places: Words) -> u64:
    """Removes the functions for returns. Stores the addresses that have no other function. Returns their number."""
    count = u64(0)
    for n in range(WATCHED_COUNT):
        table.watched[n] = 0
        table.watched_in_programs[n] = 0
    for n in range(table.last + 1):
        callout = table.slots[n]
        if callout.returned is not None:
            callout.returned = None
            if callout.handler is None and callout.noticed is None:
                places[count] = callout.place
                count += 1
    return count


@shared
def copy_used(table: Callouts, larger: Callouts) -> None:
    """Copies the callouts that have a function to an empty table."""
    for n in range(table.last + 1):
        old = table.slots[n]
        if old.place != 0 and (old.handler is not None or old.returned is not None or old.noticed is not None):
            new = insert(larger, old.place)
            new.returned = old.returned
            new.noticed = old.noticed
            new.handler = old.handler
            new.argument = old.argument


@njit
def is_looked_at(cpu: Cpu) -> bool:
    """Whether the block that is being translated may have a host function."""
    board = cpu.board
    return board.looked_at_start <= cpu.block < board.looked_at_end or find(board.callouts, cpu.block) is not None


@njit
def call_function_at(cpu: Cpu, board: Board, address: u64) -> None:
    """A block begins at `address`: runs the host functions for that address."""
    looked_at = board.looked_at_start <= address < board.looked_at_end
    each = board.at_each_block if looked_at else board.at_other_block
    if each is not None:
        each(cpu, address)
    callout = find(board.callouts, address)
    if callout is None:
        return
    returned = callout.returned
    if returned is not None:
        returned(cpu, address)
    noticed = callout.noticed
    if noticed is not None:
        noticed(cpu, address)
        callout = find(board.callouts, address)  # it may have changed the table
        if callout is None:
            return
    handler = callout.handler
    if handler is not None:
        handler(cpu, callout.argument)


@njit
def call_if_shown_first(cpu: Cpu, address: u64) -> None:
    """The first instruction of a block that has begun is executed alone, to be shown: runs the host functions for the block."""
    if cpu.shows_first:
        cpu.shows_first = False
        call_function_at(cpu, cpu.board, address)


def build_watch_returns(arch: str, walk: Callable[[Cpu, Board, u64], u64]) -> Callable[[Cpu, u64, Handler], None]:
    """watch_returns(cpu, place, function): from now on, `function` is called whenever a block begins at `place`.

    Args:
        arch: the architecture, as in the suffix of Unicorn's symbols.
        walk: walk(cpu, board, address) -> the RAM address behind a virtual one, or NEVER.
    """
    invalidate = external(f"tb_invalidate_phys_range_{arch}", None, u64, u64, u64)

    @njit
    def watch_returns(cpu: Cpu, place: u64, function: Handler) -> None:
        board = cpu.board
        watched = board.callouts.watched
        slot = first_slot(place, LAST_WATCHED)
        if watched[slot] == place:
            return
        found = find(board.callouts, place)
        if found is not None and found.returned is not None:
            watched[slot] = place
            return
        if 2 * board.callouts.used > board.callouts.last:
            board.grow_callouts(cpu, 0)
        insert(board.callouts, place).returned = function
        if found is not None:  # blocks there call the hook already
            return
        start = walk(cpu, board, place)
        if start == NEVER:
            return
        for n in range(board.cpu_count):
            other = board.cpus[n]
            if other.code_pages[start >> PAGE]:
                invalidate(other.uc.address, start, start + 1)

    return watch_returns


def build_watch_program_returns(arch: str, walk: Callable[[Cpu, Board, u64], u64]) -> Callable[[Cpu, u64, Handler], None]:
    """The same for programs, whose addresses mean something else in each process.

    Args:
        arch, walk: as for `build_watch_returns`. `walk` finds what the running program has there.
    """
    invalidate = external(f"tb_invalidate_phys_range_{arch}", None, u64, u64, u64)

    @njit
    def watch_returns(cpu: Cpu, place: u64, function: Handler) -> None:
        board, start = cpu.board, walk(cpu, cpu.board, place)
        known = place ^ (start << PAGE)
        slot = first_slot(known, LAST_WATCHED)
        if board.callouts.watched_in_programs[slot] == known:
            return
        found = find(board.callouts, place)
        if found is None or found.returned is None:
            if 2 * board.callouts.used > board.callouts.last:
                board.grow_callouts(cpu, 0)
            insert(board.callouts, place).returned = function
        if start == NEVER:
            return
        board.callouts.watched_in_programs[slot] = known
        for n in range(board.cpu_count):
            other = board.cpus[n]
            if other.code_pages[start >> PAGE]:
                invalidate(other.uc.address, start, start + 1)

    return watch_returns


@njit
def host_call(cpu: Cpu, number: u64) -> bool:
    """Answers a host call. Its arguments are in the CPU's record, and its result is stored there too.

    Returns False if Python has to answer the call: the turn then ends.
    """
    if number < HOST_CALL_COUNT:
        handler = cpu.board.host_calls[number]
        if handler is not None:
            handler(cpu, number)
            return True
    cpu.host_call = number
    cpu.request = HOST_CALL_REQUEST
    end_turn(cpu)
    return False
