# SPDX-License-Identifier: GPL-2.0-only
"""Composing blocks: the rules, and that native code follows them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from emu.cpu.native.timing import compose, record, summary_record
from emu.cpu.native.timing.record import BRANCHED, RETIRED, STORES
from emu.cpu.timing import BlockSummary, Ending, Output
from emu.cpu.timing.composition import AS_EXPECTED, MISPREDICTED, TAKEN, TURNED, Composition
from emu.cpu.timing.core import Core
from emu.cpu.timing.summaries import Summaries
from emu.cpu.timing.zen3 import ZEN3
from emu.cpu.timing.zen4 import ZEN4
from emu.native import njit
from emu.native.record import Record

_CYCLE = 12
_CORES = pytest.mark.parametrize("core", [ZEN3, ZEN4], ids=lambda core: core.name)


def _block(dispatch: int = 12, *outputs: Output, slots: int = 6, serialising: int = 0) -> BlockSummary:
    return BlockSummary(slots, Ending.FALLS, dispatch, slots, serialising, False, outputs, (), (), (), 0)


def _chain(register: int, latency: int, loads: bool = False) -> tuple[Output, Output]:
    return Output(register, 0, ((register, latency),), loads), Output(RETIRED, 0, ((register, latency),), loads)


def _after(*blocks: Any) -> Composition:
    composition = Composition(ZEN3)
    for block in blocks:
        composition.block(*([block] if isinstance(block, BlockSummary) else block))
    return composition


@_CORES
def test_blocks_are_dispatched_one_after_the_other(core: Core):
    assert Composition(core).cycles_of([_block(12), _block(18)]) == pytest.approx(2.5)


@_CORES
def test_dependences_go_through_registers(core: Core):
    assert Composition(core).cycles_of([_block(12, *_chain(0, 60))]) == pytest.approx(5)
    assert Composition(core).cycles_of([_block(12, *_chain(0, 60)), _block(12, *_chain(1, 60))]) == pytest.approx(5)


def test_what_is_retired_is_later_than_what_is_dispatched():
    composition = _after(_block(12, *_chain(0, 60)))
    assert (composition.issue, composition.retire) == (12, 60)


def test_a_taken_branch_loses_dispatch():
    plain, taken = (_after(_block(120), (_block(120), outcome)).issue for outcome in (AS_EXPECTED, TAKEN))
    assert taken - plain == ZEN3.taken_loss


def test_taken_branches_are_apart():
    issue = _after(_block(2), (_block(2), TAKEN), (_block(2), TAKEN)).issue
    assert issue == 2 * ZEN3.taken_each + 2


def test_a_target_that_is_known_late_costs_more():
    taken, turned = (_after(_block(120), (_block(12), outcome)).issue for outcome in (TAKEN, TURNED))
    assert turned - taken == ZEN3.predictor.resteer


def test_a_wrong_prediction_is_noticed_when_the_branch_is_executed():
    branch = _block(12, Output(BRANCHED, 200, (), False))
    assert _after(branch, (_block(12), MISPREDICTED)).issue == 200 + ZEN3.predictor.mispredict + 12
    assert _after(_block(12), (_block(12), MISPREDICTED)).issue == 12 + ZEN3.predictor.mispredict + 12


def test_instructions_and_data_come_late():
    assert _after((_block(12), AS_EXPECTED, 100)).issue == 112
    late = _after((_block(12, *_chain(0, 48, loads=True), Output(1, 12, (), False)), AS_EXPECTED, 0, 100))
    assert (late.issue, late.retire) == (12, 148)
    assert _after(_block(12), (_block(12), AS_EXPECTED, 0, 0, 500)).retire == 512


def test_what_depends_on_late_data_waits_for_them():
    loading, using = _block(12, *_chain(0, 48, loads=True)), _block(12, Output(1, 0, ((0, 12),), False))
    composition = _after(loading)
    composition.delay(loading, 600)
    composition.block(using, AS_EXPECTED, 0, 0, 600)
    assert composition.retire == 648
    composition.block(_block(12, Output(RETIRED, 0, ((1, 12),), False)))
    assert composition.retire == 672


def test_a_serialising_instruction_waits_until_all_is_done():
    assert _after(_block(12, *_chain(0, 600)), _block(12, serialising=3)).issue == 600 + 3 * _CYCLE + 12


def test_stores_wait_for_their_turn():
    stores = _block(12, Output(STORES, 24, ((STORES, 24),), False))
    assert Composition(ZEN3).cycles_of([stores]) == pytest.approx(2)
    assert _after(stores).issue == 12  # a few can wait
    assert Composition(ZEN3).cycles_of([stores, _block(60)]) == pytest.approx(6)


@_CORES
def test_nothing_is_dispatched_that_is_a_window_behind(core: Core):
    """While a long latency is under way, dispatch goes on for a window's slots."""
    composition = Composition(core)
    composition.block(_block(12, Output(RETIRED, 12000, (), False)))
    blocks = 0
    while composition.issue < 12000:
        composition.block(_block(12))
        blocks += 1
    assert abs(blocks * 6 - core.window) <= 16  # the window is counted in entries of eight slots


# Native code


@njit
def _drive(function, timing, tables, steps, results):
    for n in range(len(steps)):
        summary, outcome, front, data, late = steps[n]
        if n > 0 and late > np.uint64(0):
            compose.delay(timing, tables, steps[n - 1][0], late)
        results[n] = function(timing, tables, summary, outcome, front, data, late)


def _random_block(chance: random.Random) -> BlockSummary:
    outputs = []
    all_inputs: dict[int, int] = {}
    for register in chance.sample([*range(record.STORES), BRANCHED], chance.randrange(5)):
        inputs = {chance.randrange(record.STORES): 12 * chance.choice([0, 1, 4, 40]) for _ in range(chance.randrange(4))}
        base = max([chance.choice([0, 0, 12, 48, 300]), *inputs.values()])  # it is no use to be ready before the block begins
        outputs.append(Output(register, base, tuple(inputs.items()), chance.random() < 0.5))
        all_inputs.update({r: max(latency, all_inputs.get(r, 0)) for r, latency in inputs.items()})
    if time := chance.choice([0, 6, 24]):
        outputs.append(Output(STORES, time, ((STORES, time),), False))
    end = max((output.base for output in outputs), default=0)
    outputs.append(Output(RETIRED, end, tuple(all_inputs.items()), any(output.loads for output in outputs)))
    return _block(chance.randrange(2, 60), *outputs, slots=chance.randrange(1, 30), serialising=chance.choice([0] * 9 + [8]))


@_CORES
def test_native_code_follows_the_rules(core: Core):
    chance = random.Random(core.name)
    function = compose.build(core)
    for _ in range(10):
        pool = [_random_block(chance) for _ in range(6)]
        summaries = Summaries(lambda code, address: pool[address], "test", [])  # noqa: B023
        begin = summaries.tables.get(summary_record.SUMMARIES)
        chosen = [
            (
                chance.randrange(len(pool)),
                chance.choice([AS_EXPECTED, AS_EXPECTED, TAKEN, TURNED, MISPREDICTED]),
                chance.choice([0] * 5 + [6, 60]),  # in half cycles, and the next two in whole ones: the board has no others
                *(chance.choice([0] * 5 + [12, 3000]) for _ in range(2)),
            )
            for _ in range(400)
        ]
        steps = np.array([[begin + summaries.offset(b"", block), *rest] for block, *rest in chosen], np.uint64)
        results = np.zeros(len(steps), np.uint64)
        timing, composition = Record(record.WORDS), Composition(core)
        timing.set(record.STATE, int(record.NO_STATE))
        _drive(function, np.uint64(timing.address), np.uint64(summaries.tables.address), steps, results)
        for n, ((block, *rest), result) in enumerate(zip(chosen, results.tolist(), strict=True)):
            if n and rest[-1]:
                composition.delay(pool[chosen[n - 1][0]], rest[-1])
            composition.block(pool[block], *rest)
            assert composition.retire - composition.issue == result
        assert timing.get(record.ISSUE) == composition.issue
