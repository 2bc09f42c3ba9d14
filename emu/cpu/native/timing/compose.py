# SPDX-License-Identifier: GPL-2.0-only
"""Composes blocks: an out-of-order core in which a block is a summary (the rules are in `emu.cpu.timing.composition`).

A block's effect on the core depends on the core's state and on the previous block's outcome, unless something stalls. So
states have numbers, transitions are cached, and most blocks cost one lookup. While dispatched instructions are late by
more than it takes to fill the window, there would be too many states: each block is then computed.
"""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.timing.record import (
    AHEAD,
    AHEAD_STEP,
    BRANCHED,
    NO_STATE,
    REGISTERS,
    RETIRED,
    RING,
    STORES,
    TIMES,
    Timing,
)
from emu.cpu.native.timing.summary_record import (
    MOST_STATES,
    SERIALISES,
    STATE_SLOTS,
    STATE_WORDS,
    TRANSITION_SLOTS,
    State,
    Summary,
    Tables,
    Transition,
    first_output,
    next_output,
    summary_at,
)
from emu.cpu.timing import CYCLE
from emu.cpu.timing.core import Core
from emu.native.functions import njit, outlined
from emu.native.records import Words, u64

__all__ = ["build", "delay", "empty", "forget_states", "settle"]

HALF = CYCLE // 2
MULTIPLIER = 0x9E37_79B9_7F4A_7C15
ALL_READY = u64(0)  # the state in which nothing is under way
FOLD_SHIFT, SLOT_SHIFT = 29, 32  # of a state's hash
WHERE_SHIFT, TRANSITION_SHIFT = 32, 40  # of a transition's hash
STATE_SLOT_MASK, TRANSITION_MASK = STATE_SLOTS - 1, TRANSITION_SLOTS - 1
FIRST_SLOT = 1 << 20  # of the window: keeps slot numbers positive
ENTRY_SHIFT, RING_MASK = 3, RING - 1  # eight slots to an entry of the window
AS_EXPECTED, TAKEN, RETURNED, TURNED, MISPREDICTED = (u64(n) for n in range(5))

# A transition's target is one number: the new state | when all has retired << 24 | the advance of `issue` << 40.
STATE_MASK, RETIRED_SHIFT, RETIRED_MASK, MOVE_SHIFT = 0xFF_FFFF, 24, 0xFFFF, 40
LONGEST_MOVE = 1 << 24
# A key, minus one: state << 3 | outcome, then 14 bits each for `front` in half cycles, and `data` and `late` in cycles.
OUTCOME_BITS, DELAY_BITS = 3, 14
LONGEST_DELAY = 1 << 18


@njit
def later(now: u64, earlier: u64) -> u64:
    """By how much `now` is later than `earlier`, at least 0."""
    return now - earlier if now > earlier else u64(0)


@njit
def forget_states(tables: Tables) -> None:
    """Forgets all states but the first, and the transitions between them."""
    tables.forgotten += 1
    for n in range(u64(STATE_SLOTS)):
        tables.found[n] = 0
    for n in range(u64(TRANSITION_SLOTS)):
        transition = tables.transitions[n]
        transition.key = transition.block = transition.next = 0
    offset = tables.summaries_first
    while offset < tables.summaries_end:
        summary = summary_at(tables, offset)
        summary.transition = summary.other_transition = 0
        offset += summary.size
    tables.states_used = 1


@njit
def are_equal(one: State, other: State) -> bool:
    first, second, differences = Words(one.address), Words(other.address), u64(0)
    for n in range(u64(STATE_WORDS)):
        differences |= first[n] ^ second[n]
    return differences == 0


@njit
def is_all_ready(state: State) -> bool:
    words, found = Words(state.address), u64(0)
    for n in range(u64(STATE_WORDS)):
        found |= words[n]
    return found == 0


@njit
def number_of(timing: Timing, tables: Tables) -> u64:
    """The number of the state in the timing record."""
    used = max(tables.states_used, u64(1))
    if used >= MOST_STATES:
        forget_states(tables)
        used = u64(1)
    fresh, mixed = tables.states[used], u64(0)
    for n in range(u64(TIMES)):
        value = timing.times[n]
        fresh.times[n] = value
        mixed = (mixed ^ value) * MULTIPLIER
        mixed ^= mixed >> FOLD_SHIFT
    slot = mixed >> SLOT_SHIFT & STATE_SLOT_MASK
    while tables.found[slot] != 0:
        known = tables.found[slot] - 1
        if are_equal(tables.states[known], fresh):
            return known
        slot = slot + 1 & STATE_SLOT_MASK
    if is_all_ready(fresh):
        return ALL_READY
    tables.found[slot] = used + 1
    tables.states_used = used + 1
    return used


@njit
def materialise(timing: Timing, tables: Tables, state: u64) -> None:
    """Writes a state into the timing record."""
    known = tables.states[state]
    for n in range(u64(TIMES)):
        timing.times[n] = known.times[n]


@njit
def settle(timing: Timing, tables: Tables) -> None:
    """The CPU stops: makes its record independent of the tables."""
    if timing.state != NO_STATE:
        materialise(timing, tables, timing.state)
        timing.state = NO_STATE


@outlined
def delay(timing: Timing, tables: Tables, summary: Summary, late: u64) -> None:
    """The loads of the last block, given by its summary, are `late`: their addresses were unknown when it began."""
    settle(timing, tables)
    output = first_output(summary)
    retire = timing.times[RETIRED]
    for _ in range(summary.output_count):
        register = output.register
        if output.loads != 0 and register != RETIRED:
            ready = timing.times[register] + late
            timing.times[register] = ready
            retire = max(retire, ready)
        output = next_output(output)
    timing.times[RETIRED] = retire


@njit
def empty(timing: Timing) -> None:
    """Everything is complete, and nothing is under way."""
    for n in range(u64(TIMES)):
        timing.times[n] = 0
    timing.slots = 0


@njit
def note_retirement(timing: Timing, slots: u64, time: u64) -> None:
    """The last `slots` slots of the window retire at `time`."""
    entry, last = (timing.slots - slots) >> ENTRY_SHIFT, timing.slots >> ENTRY_SHIFT
    if last - entry > RING_MASK:
        entry = last - RING_MASK
    while entry <= last:
        timing.window[entry & RING_MASK] = time
        entry += 1


@njit
def execute(timing: Timing, summary: Summary, at: u64, data: u64) -> tuple[u64, u64]:
    """Dispatches a block `at` a time, and updates `times`. Returns when it is done, and when its last instruction is."""
    output, count = first_output(summary), summary.output_count
    for n in range(count):
        wait = data if output.loads != 0 else u64(0)
        time = at + output.base
        for i in range(output.count):
            source = output.inputs[i]
            time = max(time, timing.times[source.register] + source.latency)
        fresh = timing.fresh[n]
        fresh.register = output.register
        fresh.time = time + wait
        output = next_output(output)
    done = branch = at
    for n in range(count):
        register, time = timing.fresh[n].register, timing.fresh[n].time
        if register < REGISTERS:
            timing.times[register] = time
        elif register == RETIRED:
            done = time
        else:
            branch = time
    return done, branch


@njit
def key_of(state: u64, outcome: u64, front: u64, data: u64, late: u64) -> u64:
    """The key under which a block's transition is cached; 0 if a delay is too long for it."""
    key = state << OUTCOME_BITS | outcome
    if front | data | late == 0:
        return (key << 3 * DELAY_BITS) + 1
    if front | data | late >= LONGEST_DELAY:
        return u64(0)
    return (((key << DELAY_BITS | front // HALF) << DELAY_BITS | data // CYCLE) << DELAY_BITS | late // CYCLE) + 1


@njit
def transition_at(tables: Tables, block: u64, key: u64) -> Transition:
    """The place of the transition in the table, if it is cached."""
    slot = (key ^ block << WHERE_SHIFT) * MULTIPLIER >> TRANSITION_SHIFT & TRANSITION_MASK
    return tables.transitions[slot]


@njit
def note(summary: Summary, key: u64, found: u64) -> None:
    """Caches a transition at its block."""
    summary.other_transition = summary.transition
    summary.other_next = summary.next
    summary.transition = key
    summary.next = found


@njit
def remembered(tables: Tables, summary: Summary, key: u64) -> u64:
    """The cached target of a block; 0 if it is unknown."""
    if summary.transition == key:
        return summary.next
    if summary.other_transition == key:
        return summary.other_next
    block = summary.address - tables.summaries.address
    transition = transition_at(tables, block, key)
    if transition.key != key or transition.block != block:
        return u64(0)
    found = transition.next
    note(summary, key, found)
    return found


@njit
def remember(tables: Tables, summary: Summary, key: u64, found: u64) -> None:
    block = summary.address - tables.summaries.address
    transition = transition_at(tables, block, key)
    transition.key = key
    transition.block = block
    transition.next = found
    note(summary, key, found)


def build(core: Core) -> Callable[[Timing, Tables, Summary, u64, u64, u64, u64], u64]:
    """compose(timing, tables, summary, outcome, front, data, late), compiled: advances `issue` and the state by a block.

    `outcome`: the previous block's outcome. In parts of a cycle: `front`, by which instructions are late; `data`, by which
    the block's data are late; `late`, by which the previous block retires late: `delay` handles the rest. Returns when all
    has retired, relative to `issue`.
    """
    taken_loss, taken_each = u64(core.taken_loss), u64(core.taken_each)
    return_each, most_ahead = u64(core.predictor.return_each), u64(core.ahead)
    resteer, mispredict = u64(core.predictor.resteer), u64(core.predictor.mispredict)
    window, store_room = u64(core.window), u64(core.store_room)
    fast = u64(core.window * CYCLE // core.width)  # the window cannot be full before that

    @njit
    def hold_back(timing: Timing, at: u64, slots: u64) -> u64:
        """When a block that needs `slots` slots of the window can be dispatched, at `at` or later. Relative to `issue`."""
        used = timing.slots
        if used == 0:  # tracking of the window starts: everything older retires in time
            for n in range(u64(RING)):
                timing.window[n] = 0
            used = u64(FIRST_SLOT)
        used += slots
        timing.slots = used
        behind = max(window, slots)  # a block that is longer waits for everything before it
        oldest = timing.window[(used - behind) >> ENTRY_SHIFT & RING_MASK]
        return max(at, later(oldest, timing.issue))

    @njit
    def fetched(timing: Timing, outcome: u64) -> tuple[u64, u64]:
        """When a block has been fetched, given the previous outcome, and by how much fetching is ahead then."""
        ahead = timing.times[AHEAD]
        if outcome in (TAKEN, RETURNED):
            each = return_each if outcome == RETURNED else taken_each
            at = max(taken_loss, later(each, ahead))
            return at, later(ahead + at, each)
        if outcome == MISPREDICTED:
            return timing.times[BRANCHED] + mispredict, u64(0)
        if outcome == TURNED:
            return taken_each + resteer, u64(0)
        return u64(0), ahead

    @njit
    def step(timing: Timing, summary: Summary, outcome: u64, front: u64, data: u64, late: u64) -> u64:
        """Computes a block: updates the state in the record. Returns the advance of `issue`."""
        retire = max(timing.times[RETIRED], late)
        at, ahead = fetched(timing, outcome)
        at += front
        begun = at
        at = max(at, later(timing.times[STORES], store_room))
        if summary.flags & SERIALISES != 0:
            at = max(at, retire) + summary.serialising * CYCLE
        slow, slots = retire > at + fast, summary.slots
        if slow:
            at = hold_back(timing, at, slots)
        else:
            timing.slots = 0
        done, branch = execute(timing, summary, at, data)
        move = at + summary.dispatch
        retire = max(max(retire, done), move)
        if slow:
            note_retirement(timing, slots, timing.issue + retire)
        for register in range(u64(REGISTERS)):
            timing.times[register] = later(timing.times[register], move)
        timing.times[RETIRED] = retire - move
        timing.times[BRANCHED] = later(branch, move)
        timing.times[AHEAD] = min(ahead + later(move, begun), most_ahead) // AHEAD_STEP * AHEAD_STEP
        return move

    @outlined
    def compute(
        timing: Timing, tables: Tables, summary: Summary, outcome: u64, front: u64, data: u64, late: u64, key: u64
    ) -> u64:
        """Does the work of `compose`, and caches the result under a key, unless it is 0."""
        if timing.state != NO_STATE:
            materialise(timing, tables, timing.state)
        tables.computed += 1
        move = step(timing, summary, outcome, front, data, late)
        timing.issue += move
        retire = timing.times[RETIRED]
        if retire > fast:
            timing.state = NO_STATE
            return retire
        timing.slots = 0  # a state's transitions must not depend on the window's contents
        forgotten = tables.forgotten
        state = number_of(timing, tables)
        timing.state = state
        found = state | retire << RETIRED_SHIFT | move << MOVE_SHIFT
        if key != 0 and move < LONGEST_MOVE and found != 0 and forgotten == tables.forgotten:
            remember(tables, summary, key, found)
        return retire

    @njit
    def compose(timing: Timing, tables: Tables, summary: Summary, outcome: u64, front: u64, data: u64, late: u64) -> u64:
        state, key = timing.state, u64(0)
        if state != NO_STATE:
            key = key_of(state, outcome, front, data, late)
            if key != 0:
                found = remembered(tables, summary, key)
                if found != 0:
                    timing.state = found & STATE_MASK
                    timing.issue += found >> MOVE_SHIFT
                    return found >> RETIRED_SHIFT & RETIRED_MASK
        return compute(timing, tables, summary, outcome, front, data, late, key)

    return compose
