# SPDX-License-Identifier: GPL-2.0-only
"""Branch prediction: how a block goes on, as the front end expects it, and what it learns from how it really went on.

* Conditional branches: two-bit counters by address, and two tables of tagged counters by address and history, of which the
  one that has looked at more branches decides (TAGE; Seznec and Michaud 2006).
* Targets of direct branches: the branch target buffer. One that is missing is known when the branch is decoded.
* Targets of indirect branches: by address alone, the last one that was right, until two others have come. That was chosen
  to fit what was measured of 1 to 8 targets in turn (`calibration`, "indirect jump"); why Zen 3 is so is not known.
* Returns: a stack of return addresses, which forgets its oldest when it is full.

Branches are known by where they end, and nothing here depends on what code the branch belongs to.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emu.cpu.native.timing import record
from emu.cpu.native.timing.compose import AS_EXPECTED, MISPREDICTED, TAKEN, TURNED
from emu.cpu.timing import Ending
from emu.cpu.timing.core import Predictor
from emu.native import njit
from emu.native.pointers import load_u8, load_u16, load_u64, store_u8, store_u16, store_u64
from emu.native.record import Fields

__all__ = ["PredictorFields", "build"]

ZERO, ONE, TWO, THREE, WORD = (np.uint64(n) for n in (0, 1, 2, 3, 8))
MULTIPLIER = np.uint64(0x9E37_79B9_7F4A_7C15)
FALLS, CONDITIONAL, CALL, INDIRECT_CALL, INDIRECT_JUMP, RETURN, TRAPS = (
    np.uint64(ending)
    for ending in (
        Ending.FALLS, Ending.CONDITIONAL, Ending.CALL, Ending.INDIRECT_CALL, Ending.INDIRECT_JUMP, Ending.RETURN, Ending.TRAPS,
    )
)  # fmt: skip

# An entry of a tagged table: tag << 4 | useful << 3 | a counter of three bits, from 4 on taken. No tag is 0.
TAG_SHIFT, USEFUL, COUNTER, STRONGEST = np.uint64(4), np.uint64(8), np.uint64(7), np.uint64(7)
TAG_MASK, SOME_TAG, TAKES = np.uint64(0x7FF), np.uint64(0x800), np.uint64(4)
WEAKLY_TAKEN, WEAKLY_NOT = np.uint64(4), np.uint64(3)
INDEX_SHIFT, HASH_SHIFT = np.uint64(12), np.uint64(40)
TARGET = np.uint64((1 << 63) - 1)  # what is kept of one: the upper bits are the same
KEY_SHIFT, PLACE_SHIFT = np.uint64(20), np.uint64(32)

BRANCHES, BRANCH_MISSES = record.counter("branches"), record.counter("branch-misses")
CONDITIONALS, CONDITIONAL_MISSES = record.counter("conditional-branches"), record.counter("conditional-misses")
RETURNS, RETURN_MISSES = record.counter("returns"), record.counter("return-misses")
INDIRECT, INDIRECT_MISSES = record.counter("indirect-branches"), record.counter("indirect-misses")
BTB_MISSES = record.counter("btb-misses")


class PredictorFields(NamedTuple):
    """Where a CPU's predictors are in its timing record."""

    history: np.uint64  # conditional branches, the last one in bit 0
    top: np.uint64  # calls so far, less returns: the place of the last one, modulo the stack's size
    stack: np.uint64
    bimodal: np.uint64  # bytes: two-bit counters
    tagged: np.uint64  # two tables of entries of 16 bits
    buffer: np.uint64  # of branch targets: end ^ target << 20
    indirect: np.uint64  # targets << 1 | whether it was the last one

    @classmethod
    def of(cls, core: Predictor, fields: Fields) -> PredictorFields:
        return cls(
            history=fields.word(),
            top=fields.word(),
            stack=fields.words(core.return_stack),
            bimodal=fields.words(core.bimodal // 8),
            tagged=fields.words(2 * core.tagged // 4),
            buffer=fields.words(core.targets),
            indirect=fields.words(core.indirect),
        )


def build(core: Predictor, at: PredictorFields) -> Any:
    """predict(timing, ending, end, address), compiled -> how the block before went on.

    `ending`: of the block before, which ends before virtual address `end`. The next block begins at `address`.
    """
    history_at, top_at, stack_at, bimodal_at, tagged_at, buffer_at, indirect_at = at
    bimodal_mask, tagged_mask = np.uint64(core.bimodal - 1), np.uint64(core.tagged - 1)
    second = np.uint64(core.tagged * 2)  # bytes from the first table to the second
    short_mask, long_mask = (np.uint64((1 << length) - 1) for length in core.histories)
    buffer_mask, indirect_mask = np.uint64(core.targets - 1), np.uint64(core.indirect - 1)
    stack_size = np.uint64(core.return_stack)
    stack_is_mask = core.return_stack & (core.return_stack - 1) == 0

    @njit
    def place_in_stack(timing, top):
        place = top & (stack_size - ONE) if stack_is_mask else top % stack_size
        return timing + stack_at + place * WORD

    @njit
    def conditional(timing, end, taken):
        """Whether a conditional branch was predicted rightly; learns how it went. `taken`: 1, or 0."""
        record.tally(timing, CONDITIONALS)
        history = load_u64(timing + history_at)
        store_u64(timing + history_at, history << ONE | taken)
        place = timing + bimodal_at + (end & bimodal_mask)
        simple = np.uint64(load_u8(place))
        predicted = simple >> ONE
        far = (end ^ (history & long_mask) * np.uint64(0x85EB_CA6B)) * MULTIPLIER >> HASH_SHIFT
        near = (end ^ (history & short_mask) * np.uint64(0x9E3B)) * MULTIPLIER >> HASH_SHIFT
        far_place = timing + tagged_at + second + (far & tagged_mask) * TWO
        near_place = timing + tagged_at + (near & tagged_mask) * TWO
        far_tag, near_tag = (far >> INDEX_SHIFT & TAG_MASK) | SOME_TAG, (near >> INDEX_SHIFT & TAG_MASK) | SOME_TAG
        far_entry, near_entry = np.uint64(load_u16(far_place)), np.uint64(load_u16(near_place))
        provider, entry = ZERO, ZERO
        if far_entry >> TAG_SHIFT == far_tag:
            provider, entry = far_place, far_entry
        elif near_entry >> TAG_SHIFT == near_tag:
            provider, entry = near_place, near_entry
        if provider != ZERO:
            counter = entry & COUNTER
            predicted = counter >> TWO
            if taken != ZERO:
                if counter < STRONGEST:
                    counter += ONE
            elif counter > ZERO:
                counter -= ONE
            useful = USEFUL if predicted == taken else ZERO
            updated = (entry >> TAG_SHIFT << TAG_SHIFT) | useful | counter
            if updated != entry:
                store_u16(provider, np.uint16(updated))
        elif taken != ZERO:
            if simple < THREE:
                store_u8(place, np.uint8(simple + ONE))
        elif simple > ZERO:
            store_u8(place, np.uint8(simple - ONE))
        if predicted == taken:
            return True
        # A longer history may tell: an entry is made there, unless the one that is there has been useful.
        fresh = WEAKLY_TAKEN if taken != ZERO else WEAKLY_NOT
        if provider == ZERO and near_entry & USEFUL == ZERO:
            store_u16(near_place, np.uint16(near_tag << TAG_SHIFT | fresh))
        elif provider != far_place:
            if far_entry & USEFUL == ZERO:
                store_u16(far_place, np.uint16(far_tag << TAG_SHIFT | fresh))
            else:
                store_u16(far_place, np.uint16(far_entry & ~USEFUL))
                if provider == ZERO:
                    store_u16(near_place, np.uint16(near_entry & ~USEFUL))
        return False

    @njit
    def predict(timing, ending, end, address):
        if ending in (FALLS, TRAPS):
            return AS_EXPECTED
        record.tally(timing, BRANCHES)
        if ending == CONDITIONAL:
            taken = ONE if address != end else ZERO
            if not conditional(timing, end, taken):
                record.count(timing, CONDITIONAL_MISSES)
                record.count(timing, BRANCH_MISSES)
                return MISPREDICTED
            if taken == ZERO:
                return AS_EXPECTED
        elif ending == RETURN:
            top = load_u64(timing + top_at)
            store_u64(timing + top_at, top - ONE)
            record.tally(timing, RETURNS)
            if load_u64(place_in_stack(timing, top)) != address:
                record.count(timing, RETURN_MISSES)
                record.count(timing, BRANCH_MISSES)
                return MISPREDICTED
            return TAKEN
        else:
            if ending in (CALL, INDIRECT_CALL):
                top = load_u64(timing + top_at) + ONE
                store_u64(timing + top_at, top)
                store_u64(place_in_stack(timing, top), end)
            if ending in (INDIRECT_CALL, INDIRECT_JUMP):
                place = timing + indirect_at + (end * MULTIPLIER >> PLACE_SHIFT & indirect_mask) * WORD
                record.tally(timing, INDIRECT)
                known = load_u64(place)
                if known >> ONE != address & TARGET:
                    store_u64(place, known - ONE if known & ONE else address << ONE | ONE)
                    record.count(timing, INDIRECT_MISSES)
                    record.count(timing, BRANCH_MISSES)
                    return MISPREDICTED
                store_u64(place, known | ONE)
                return TAKEN
        place = timing + buffer_at + (end * MULTIPLIER >> PLACE_SHIFT & buffer_mask) * WORD
        key = end ^ address << KEY_SHIFT
        if load_u64(place) != key:
            store_u64(place, key)
            record.count(timing, BTB_MISSES)
            return TURNED
        return TAKEN

    return predict
