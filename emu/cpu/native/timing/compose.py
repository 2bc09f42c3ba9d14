# SPDX-License-Identifier: GPL-2.0-only
"""Composes blocks: an out-of-order core in which a block is a summary (`emu.cpu.timing.composition` says the rules).

What happens to the core in a block depends on the core's state and on how the block before ended, unless something
stalls. So states have numbers, transitions are remembered, and most blocks cost a lookup. While what has been
dispatched is late by more than it takes to fill the window, states are too many: each block is then computed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from emu.cpu.native.timing import record, summary_record
from emu.cpu.timing import CYCLE
from emu.cpu.timing.core import Core
from emu.native import njit, outlined
from emu.native.pointers import load_u16, load_u32, load_u64, store_u16, store_u32, store_u64
from emu.native.records import u64

__all__ = ["build"]

ZERO, ONE, TWO, THREE, WORD = (np.uint64(n) for n in (0, 1, 2, 3, 8))
WHOLE, HALF = np.uint64(CYCLE), np.uint64(CYCLE // 2)
STEP = np.uint64(record.AHEAD_STEP)
HALF_WORD, LOW32 = np.uint64(32), np.uint64(0xFFFF_FFFF)
MULTIPLIER = np.uint64(0x9E37_79B9_7F4A_7C15)
ALL_READY = ZERO  # the state in which nothing is under way
REGISTERS, VALUES = record.REGISTERS, summary_record.STATE_VALUES
STATE_WORDS = summary_record.STATE_WORDS
STATE_BYTES = np.uint64(8 * STATE_WORDS)
STATE_SLOT_MASK = np.uint64(summary_record.STATE_SLOTS - 1)
TRANSITION_SHIFT, TRANSITION_MASK = np.uint64(40), np.uint64(summary_record.TRANSITION_SLOTS - 1)
MOST_STATES = np.uint64(summary_record.MOST_STATES)
RING_MASK, RING_SHIFT = np.uint64(record.RING - 1), THREE  # eight slots to an entry

# Where a transition leads: number of the state | RETIRE << 24 | by how much ISSUE moves << 40.
STATE_MASK, RETIRE_SHIFT, RETIRE_MASK, MOVE_SHIFT = np.uint64(0xFF_FFFF), np.uint64(24), np.uint64(0xFFFF), np.uint64(40)
LONGEST_MOVE = np.uint64(1 << 24)
# A key, less one: what the block met: state << 3 | outcome, then 14 bits each for FRONT in half cycles, DATA and LATE in cycles.
OUTCOME_BITS, DELAY_BITS, NO_DELAYS = THREE, np.uint64(14), np.uint64(3 * 14)
LONGEST_DELAY = np.uint64(1 << 18)
AS_EXPECTED, TAKEN, RETURNED, TURNED, MISPREDICTED = (u64(n) for n in range(5))


@njit
def later(now, earlier):
    """How long `now` is behind `earlier`, at least 0."""
    return now - earlier if now > earlier else ZERO


@njit
def forget_states(tables):
    """Forgets all states but the first, and the transitions between them."""
    store_u64(tables + summary_record.FORGOTTEN, load_u64(tables + summary_record.FORGOTTEN) + ONE)
    for n in range(summary_record.STATE_SLOTS // 2):
        store_u64(tables + summary_record.FOUND + np.uint64(n) * WORD, ZERO)
    for n in range(summary_record.TRANSITION_SLOTS * summary_record.TRANSITION_WORDS):
        store_u64(tables + summary_record.TRANSITIONS + np.uint64(n) * WORD, ZERO)
    summaries, offset = load_u64(tables + summary_record.SUMMARIES), load_u64(tables + summary_record.SUMMARIES_FIRST)
    while offset < load_u64(tables + summary_record.SUMMARIES_END):
        store_u64(summaries + offset + summary_record.TRANSITION, ZERO)
        store_u64(summaries + offset + summary_record.OTHER_TRANSITION, ZERO)
        offset += load_u64(summaries + offset + summary_record.DISPATCH) >> HALF_WORD
    store_u64(tables + summary_record.STATES_USED, ONE)


@njit
def number_of(timing, tables):
    """The number of the state that is in the timing record."""
    place = tables + summary_record.STATES
    used = load_u64(tables + summary_record.STATES_USED)
    if used >= MOST_STATES:
        forget_states(tables)
        used = ONE
    elif used == ZERO:
        used = ONE
    fresh = place + used * STATE_BYTES
    mixed = ZERO
    for n in range(VALUES):
        value = load_u64(timing + record.READY + np.uint64(n) * WORD)
        store_u16(fresh + np.uint64(n) * TWO, np.uint16(value))
        mixed = (mixed ^ value) * MULTIPLIER
        mixed ^= mixed >> np.uint64(29)
    slot = mixed >> HALF_WORD
    while True:
        slot &= STATE_SLOT_MASK
        at = tables + summary_record.FOUND + slot * np.uint64(4)
        known = np.uint64(load_u32(at))
        if known == ZERO:
            break
        same = True
        for n in range(STATE_WORDS):
            offset = np.uint64(n) * WORD
            if load_u64(place + (known - ONE) * STATE_BYTES + offset) != load_u64(fresh + offset):
                same = False
                break
        if same:
            return known - ONE
        slot += ONE
    empty = True
    for n in range(STATE_WORDS):
        if load_u64(fresh + np.uint64(n) * WORD) != ZERO:
            empty = False
    if empty:
        return ALL_READY
    store_u32(at, np.uint32(used + ONE))
    store_u64(tables + summary_record.STATES_USED, used + ONE)
    return used


@njit
def materialise(timing, tables, state):
    """Writes a state into the timing record."""
    place = tables + summary_record.STATES + state * STATE_BYTES
    for n in range(VALUES):
        store_u64(timing + record.READY + np.uint64(n) * WORD, np.uint64(load_u16(place + np.uint64(n) * TWO)))


@njit
def settle(timing, tables):
    """The CPU stands: what its record says of it does not depend on the tables any more."""
    state = load_u64(timing + record.STATE)
    if state != record.NO_STATE:
        materialise(timing, tables, state)
        store_u64(timing + record.STATE, record.NO_STATE)


@outlined
def delay(timing, tables, summary, late):
    """What the last block, whose summary that is, has loaded comes `late`: its addresses were not known when it began."""
    settle(timing, tables)
    outputs = load_u64(summary + summary_record.OUTPUTS)
    place, count = summary + (outputs >> HALF_WORD), outputs & LOW32
    retire = load_u64(timing + record.RETIRE)
    while count != ZERO:
        output = load_u64(place)
        register = output & np.uint64(0xFF)
        if output & summary_record.LOADS and register != np.uint64(record.RETIRED):
            ready = timing + record.READY + register * WORD  # BRANCH lies behind RETIRE, as it is numbered
            store_u64(ready, load_u64(ready) + late)
            retire = max(retire, load_u64(ready))
        place += WORD + (output >> summary_record.INPUTS_SHIFT & summary_record.INPUTS_MASK) * WORD
        count -= ONE
    store_u64(timing + record.RETIRE, retire)


@njit
def empty(timing):
    """All is done, nothing is under way."""
    for n in range(VALUES):
        store_u64(timing + record.READY + np.uint64(n) * WORD, ZERO)
    store_u64(timing + record.SLOTS, ZERO)


def build(core: Core) -> Any:
    """compose(timing, tables, summary, outcome, front, data, late), compiled: advances ISSUE and the state by a block.

    `outcome`: how the block before went on. Parts of a cycle: `front`, by which instructions come late; `data`, by which
    the block's data come late; `late`, by which the block before retires late: `delay` is for the rest. Returns RETIRE,
    counted from ISSUE.
    """
    taken_loss, taken_each = np.uint64(core.taken_loss), np.uint64(core.taken_each)
    return_each, most_ahead = np.uint64(core.predictor.return_each), np.uint64(core.ahead)
    resteer, mispredict = np.uint64(core.predictor.resteer), np.uint64(core.predictor.mispredict)
    window, store_room = np.uint64(core.window), np.uint64(core.store_room)
    fast = np.uint64(core.window * CYCLE // core.width)  # the window cannot be full before that

    @njit
    def hold_back(timing, at, slots):
        """When a block that needs so many slots of the window can be dispatched, not before `at`. Counted from ISSUE."""
        used = load_u64(timing + record.SLOTS)
        if used == ZERO:  # the window begins to matter: what is older retires in time
            for n in range(record.RING):
                store_u64(timing + record.WINDOW + np.uint64(n) * WORD, ZERO)
            used = np.uint64(1 << 20)
        used += slots
        store_u64(timing + record.SLOTS, used)
        behind = max(window, slots)  # a block that is longer waits for all before it
        oldest = load_u64(timing + record.WINDOW + ((used - behind) >> RING_SHIFT & RING_MASK) * WORD)
        return max(at, later(oldest, load_u64(timing + record.ISSUE)))

    @njit
    def note_retirement(timing, slots, time):
        used = load_u64(timing + record.SLOTS)
        entry = (used - slots) >> RING_SHIFT
        last = used >> RING_SHIFT
        if last - entry > RING_MASK:
            entry = last - RING_MASK
        while entry <= last:
            store_u64(timing + record.WINDOW + (entry & RING_MASK) * WORD, time)
            entry += ONE

    @njit
    def step(timing, summary, outcome, front, data, late):
        """Computes a block: the state in the record becomes the next. Returns by how much ISSUE moves."""
        head = load_u64(summary + summary_record.HEAD)
        retire = max(load_u64(timing + record.RETIRE), late)
        at, ahead = ZERO, load_u64(timing + record.AHEAD)
        if outcome in (TAKEN, RETURNED):
            fetched = return_each if outcome == RETURNED else taken_each
            at = max(taken_loss, later(fetched, ahead))
            ahead = later(ahead + at, fetched)
        elif outcome != AS_EXPECTED:
            at = load_u64(timing + record.BRANCH) + mispredict if outcome == MISPREDICTED else taken_each + resteer
            ahead = ZERO
        at += front
        begun = at
        at = max(at, later(load_u64(timing + record.READY + np.uint64(record.STORES) * WORD), store_room))
        serialising = head >> summary_record.SERIALISING_SHIFT
        if serialising != ZERO:
            at = max(at, retire) + serialising * WHOLE
        slow = retire > at + fast
        slots = head >> summary_record.SLOTS_SHIFT & summary_record.SLOTS_MASK
        if slow:
            at = hold_back(timing, at, slots)
        else:
            store_u64(timing + record.SLOTS, ZERO)
        outputs = load_u64(summary + summary_record.OUTPUTS)
        place, count = summary + (outputs >> HALF_WORD), outputs & LOW32
        done = branch = at
        n = ZERO
        while n < count:
            output = load_u64(place)
            place += WORD
            wait = data if output & summary_record.LOADS else ZERO
            time = at + (output >> summary_record.BASE_SHIFT)
            inputs = output >> summary_record.INPUTS_SHIFT & summary_record.INPUTS_MASK
            while inputs != ZERO:
                source = load_u64(place)
                place += WORD
                ready = load_u64(timing + record.READY + (source & np.uint64(0xFF)) * WORD)
                time = max(time, ready + (source >> summary_record.LATENCY_SHIFT))
                inputs -= ONE
            store_u64(timing + record.FRESH + n * np.uint64(16), output & np.uint64(0xFF))
            store_u64(timing + record.FRESH + n * np.uint64(16) + WORD, time + wait)
            n += ONE
        while n != ZERO:
            n -= ONE
            register = load_u64(timing + record.FRESH + n * np.uint64(16))
            time = load_u64(timing + record.FRESH + n * np.uint64(16) + WORD)
            if register < np.uint64(REGISTERS):
                store_u64(timing + record.READY + register * WORD, time)
            elif register == np.uint64(record.RETIRED):
                done = time
            else:
                branch = time
        move = at + (load_u64(summary + summary_record.DISPATCH) & LOW32)
        retire = max(max(retire, done), move)
        if slow:
            note_retirement(timing, slots, load_u64(timing + record.ISSUE) + retire)
        for r in range(REGISTERS):
            ready = timing + record.READY + np.uint64(r) * WORD
            store_u64(ready, later(load_u64(ready), move))
        store_u64(timing + record.RETIRE, retire - move)
        store_u64(timing + record.BRANCH, later(branch, move))
        store_u64(timing + record.AHEAD, min(ahead + later(move, begun), most_ahead) // STEP * STEP)
        return move

    @njit
    def key_of(state, outcome, front, data, late):
        """What is remembered of a block that meets this; 0: it is too long for that."""
        key = state << OUTCOME_BITS | outcome
        if front | data | late == ZERO:
            return (key << NO_DELAYS) + ONE
        if front | data | late >= LONGEST_DELAY:
            return ZERO
        return (((key << DELAY_BITS | front // HALF) << DELAY_BITS | data // WHOLE) << DELAY_BITS | late // WHOLE) + ONE

    @njit
    def transition_at(tables, summary, key):
        """Where the transition is kept, if it is."""
        where = summary - load_u64(tables + summary_record.SUMMARIES)
        slot = (key ^ where << HALF_WORD) * MULTIPLIER >> TRANSITION_SHIFT & TRANSITION_MASK
        return tables + summary_record.TRANSITIONS + slot * np.uint64(summary_record.TRANSITION_WORDS * 8)

    @njit
    def note(summary, key, found):
        """Notes a transition at its block."""
        store_u64(summary + summary_record.OTHER_TRANSITION, load_u64(summary + summary_record.TRANSITION))
        store_u64(summary + summary_record.OTHER_NEXT, load_u64(summary + summary_record.NEXT))
        store_u64(summary + summary_record.TRANSITION, key)
        store_u64(summary + summary_record.NEXT, found)

    @njit
    def remembered(tables, summary, key):
        """Where a block leads that was met before; 0: it is not known."""
        if load_u64(summary + summary_record.TRANSITION) == key:
            return load_u64(summary + summary_record.NEXT)
        if load_u64(summary + summary_record.OTHER_TRANSITION) == key:
            return load_u64(summary + summary_record.OTHER_NEXT)
        place = transition_at(tables, summary, key)
        where = summary - load_u64(tables + summary_record.SUMMARIES)
        if load_u64(place + summary_record.KEY) != key or load_u64(place + summary_record.WHERE) != where:
            return ZERO
        found = load_u64(place + summary_record.TO)
        note(summary, key, found)
        return found

    @njit
    def remember(tables, summary, key, found):
        place = transition_at(tables, summary, key)
        store_u64(place + summary_record.KEY, key)
        store_u64(place + summary_record.WHERE, summary - load_u64(tables + summary_record.SUMMARIES))
        store_u64(place + summary_record.TO, found)
        note(summary, key, found)

    @outlined
    def compute(timing, tables, summary, outcome, front, data, late, key):
        """Does what `compose` does, and remembers under a key, if it is not 0, where it leads."""
        state = load_u64(timing + record.STATE)
        if state != record.NO_STATE:
            materialise(timing, tables, state)
        store_u64(tables + summary_record.COMPUTED, load_u64(tables + summary_record.COMPUTED) + ONE)
        move = step(timing, summary, outcome, front, data, late)
        store_u64(timing + record.ISSUE, load_u64(timing + record.ISSUE) + move)
        retire = load_u64(timing + record.RETIRE)
        if retire > fast:
            store_u64(timing + record.STATE, record.NO_STATE)
            return retire
        store_u64(timing + record.SLOTS, ZERO)  # where a state leads must not depend on what the window holds
        forgotten = load_u64(tables + summary_record.FORGOTTEN)
        state = number_of(timing, tables)
        store_u64(timing + record.STATE, state)
        found = state | retire << RETIRE_SHIFT | move << MOVE_SHIFT
        same = forgotten == load_u64(tables + summary_record.FORGOTTEN)
        if key != ZERO and move < LONGEST_MOVE and found != ZERO and same:
            remember(tables, summary, key, found)
        return retire

    @njit
    def compose(timing, tables, summary, outcome, front, data, late):
        state, key = load_u64(timing + record.STATE), ZERO
        if state != record.NO_STATE:
            key = key_of(state, outcome, front, data, late)
            if key != ZERO:
                found = remembered(tables, summary, key)
                if found != ZERO:
                    store_u64(timing + record.STATE, found & STATE_MASK)
                    store_u64(timing + record.ISSUE, load_u64(timing + record.ISSUE) + (found >> MOVE_SHIFT))
                    return found >> RETIRE_SHIFT & RETIRE_MASK
        return compute(timing, tables, summary, outcome, front, data, late, key)

    return compose
