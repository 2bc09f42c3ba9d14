# SPDX-License-Identifier: GPL-2.0-only
"""Composing blocks: the rules, and that native code follows them."""

from __future__ import annotations

import random
from typing import Any

import pytest

from emu.cpu.arch.x86_64.zen3 import ZEN3
from emu.cpu.arch.x86_64.zen4 import ZEN4
from emu.cpu.native.timing import compose, record
from emu.cpu.native.timing.layout import layouts
from emu.cpu.native.timing.record import BRANCHED, RETIRED, STORES, Timing
from emu.cpu.native.timing.summary_record import Summary, Tables
from emu.cpu.timing import CYCLE, BlockSummary, Ending, Output
from emu.cpu.timing.composition import AS_EXPECTED, MISPREDICTED, RETURNED, TAKEN, TURNED, Composition
from emu.cpu.timing.core import Core
from emu.cpu.timing.summaries import Summaries
from emu.native.functions import shared
from emu.native.records import u64

_CORES = pytest.mark.parametrize("core", [ZEN3, ZEN4], ids=lambda core: core.name)


def _block(dispatch: int = CYCLE, *outputs: Output, slots: int = 6, serialising: int = 0) -> BlockSummary:
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
    assert Composition(core).cycles_of([_block(CYCLE), _block(CYCLE * 3 // 2)]) == pytest.approx(2.5)


@_CORES
def test_dependences_go_through_registers(core: Core):
    assert Composition(core).cycles_of([_block(CYCLE, *_chain(0, 5 * CYCLE))]) == pytest.approx(5)
    two = [_block(CYCLE, *_chain(register, 5 * CYCLE)) for register in (0, 1)]
    assert Composition(core).cycles_of(two) == pytest.approx(5)


def test_what_is_retired_is_later_than_what_is_dispatched():
    composition = _after(_block(CYCLE, *_chain(0, 5 * CYCLE)))
    assert (composition.issue, composition.retire) == (CYCLE, 5 * CYCLE)


def test_a_taken_branch_loses_dispatch():
    plain, taken = (_after(_block(10 * CYCLE), (_block(10 * CYCLE), outcome)).issue for outcome in (AS_EXPECTED, TAKEN))
    assert taken - plain == ZEN3.taken_loss


@pytest.mark.parametrize(("outcome", "each"), [(TAKEN, ZEN3.taken_each), (RETURNED, ZEN3.predictor.return_each)])
def test_taken_branches_and_returns_are_apart(outcome: int, each: int) -> None:
    assert _after(_block(24), *[(_block(24), outcome)] * 10).issue == 10 * each + 24


def test_fetching_is_ahead_by_so_much() -> None:
    """Branches that come too quickly cost nothing while instructions fetched ahead are dispatched."""
    fast = [(_block(24), TAKEN)] * 10
    alone, behind = (_after(_block(first), *fast).issue - first for first in (24, 10 * CYCLE))
    assert alone == 10 * ZEN3.taken_each
    assert ZEN3.ahead / 2 < alone - behind < ZEN3.ahead  # not all, as the ends of runs always cost dispatch


def test_a_target_that_is_known_late_costs_more() -> None:
    """The instructions that were fetched ahead are useless."""
    plain, turned = (_after(_block(10 * CYCLE), (_block(CYCLE), outcome)).issue for outcome in (AS_EXPECTED, TURNED))
    assert turned - plain == ZEN3.taken_each + ZEN3.predictor.resteer


def test_a_wrong_prediction_is_noticed_when_the_branch_is_executed():
    branch = _block(CYCLE, Output(BRANCHED, 200, (), False))
    assert _after(branch, (_block(CYCLE), MISPREDICTED)).issue == 200 + ZEN3.predictor.mispredict + CYCLE
    assert _after(_block(CYCLE), (_block(CYCLE), MISPREDICTED)).issue == CYCLE + ZEN3.predictor.mispredict + CYCLE


def test_instructions_and_data_come_late():
    assert _after((_block(CYCLE), AS_EXPECTED, 100)).issue == CYCLE + 100
    late = _after((_block(CYCLE, *_chain(0, 4 * CYCLE, loads=True), Output(1, CYCLE, (), False)), AS_EXPECTED, 0, 100))
    assert (late.issue, late.retire) == (CYCLE, 4 * CYCLE + 100)
    assert _after(_block(CYCLE), (_block(CYCLE), AS_EXPECTED, 0, 0, 500)).retire == CYCLE + 500


def test_what_depends_on_late_data_waits_for_them():
    loading, using = _block(CYCLE, *_chain(0, 4 * CYCLE, loads=True)), _block(CYCLE, Output(1, 0, ((0, CYCLE),), False))
    composition = _after(loading)
    composition.delay(loading, 600)
    composition.block(using, AS_EXPECTED, 0, 0, 600)
    assert composition.retire == 4 * CYCLE + 600
    composition.block(_block(CYCLE, Output(RETIRED, 0, ((1, CYCLE),), False)))
    assert composition.retire == 6 * CYCLE + 600


def test_a_serialising_instruction_waits_until_all_is_done():
    assert _after(_block(CYCLE, *_chain(0, 600)), _block(CYCLE, serialising=3)).issue == 600 + 4 * CYCLE


def test_stores_wait_for_their_turn():
    stores = _block(CYCLE, Output(STORES, 2 * CYCLE, ((STORES, 2 * CYCLE),), False))
    assert Composition(ZEN3).cycles_of([stores]) == pytest.approx(2)
    assert _after(stores).issue == CYCLE  # a few can wait
    assert Composition(ZEN3).cycles_of([stores, _block(5 * CYCLE)]) == pytest.approx(6)


@_CORES
def test_nothing_is_dispatched_that_is_a_window_behind(core: Core):
    """During a long latency, dispatch continues until the window is full."""
    composition = Composition(core)
    composition.block(_block(CYCLE, Output(RETIRED, 1000 * CYCLE, (), False)))
    blocks = 0
    while composition.issue < 1000 * CYCLE:
        composition.block(_block(CYCLE))
        blocks += 1
    assert abs(blocks * 6 - core.window) <= 16  # the window is counted in entries of eight slots


# Native code


@shared
def _delay(timing: Timing, tables: Tables, summary: Summary, late: u64) -> None:
    compose.delay(timing, tables, summary, late)


def _random_block(chance: random.Random) -> BlockSummary:
    outputs = []
    all_inputs: dict[int, int] = {}
    for register in chance.sample([*range(record.STORES), BRANCHED], chance.randrange(5)):
        inputs = {chance.randrange(record.STORES): CYCLE * chance.choice([0, 1, 4, 40]) for _ in range(chance.randrange(4))}
        base = max([chance.choice([0, 0, 48, 192, 1200]), *inputs.values()])  # being ready before the block begins has no effect
        outputs.append(Output(register, base, tuple(inputs.items()), chance.random() < 0.5))
        all_inputs.update({r: max(latency, all_inputs.get(r, 0)) for r, latency in inputs.items()})
    if time := chance.choice([0, 24, 96]):
        outputs.append(Output(STORES, time, ((STORES, time),), False))
    end = max((output.base for output in outputs), default=0)
    outputs.append(Output(RETIRED, end, tuple(all_inputs.items()), any(output.loads for output in outputs)))
    return _block(chance.randrange(8, 240), *outputs, slots=chance.randrange(1, 30), serialising=chance.choice([0] * 9 + [8]))


@_CORES
def test_native_code_follows_the_rules(core: Core):
    chance = random.Random(core.name)
    composed = compose.build(core)

    @shared
    def compose_block(timing: Timing, tables: Tables, summary: Summary, outcome: u64, front: u64, data: u64, late: u64) -> u64:
        return composed(timing, tables, summary, outcome, front, data, late)

    for _ in range(10):
        pool = [_random_block(chance) for _ in range(6)]
        summaries = Summaries(lambda code, address: pool[address], "test", [])  # noqa: B023
        made = [summaries.summary(summaries.offset(b"", block)) for block in range(len(pool))]
        chosen = [
            (
                chance.randrange(len(pool)),
                chance.choice([AS_EXPECTED, AS_EXPECTED, TAKEN, RETURNED, TURNED, MISPREDICTED]),
                chance.choice([0] * 5 + [CYCLE // 2, 5 * CYCLE]),  # half cycles, as on the board; the next two whole ones
                *(chance.choice([0] * 5 + [CYCLE, 250 * CYCLE]) for _ in range(2)),
            )
            for _ in range(400)
        ]
        timing, composition = Timing.allocate(layouts(core)), Composition(core)
        timing.state = record.NO_STATE
        for n, (block, *rest) in enumerate(chosen):
            if n and rest[-1]:
                before = chosen[n - 1][0]
                composition.delay(pool[before], rest[-1])
                _delay(timing, summaries.tables, made[before], rest[-1])
            composition.block(pool[block], *rest)
            assert compose_block(timing, summaries.tables, made[block], *rest) == composition.retire - composition.issue
        assert timing.issue == composition.issue
