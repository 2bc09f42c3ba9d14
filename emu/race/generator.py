# SPDX-License-Identifier: GPL-2.0-only
"""Random scenarios: protocols that are random, or nearly one that makes sense, with their steps written out.

    >>> print(scenario_format.format(numbered(7, 1)))

Scenario `number` of a seed depends on these two numbers and the arguments alone: not on the scenarios before it, nor on
Python's version. Only `Random.random` is called, whose values Python promises to keep.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from random import Random
from typing import NamedTuple, TypeAlias, TypeVar

from emu.architectures import ARCHITECTURES, DEFAULT_ARCHITECTURE
from emu.ftrace.sites.patching import Patch, Release, Synchronise, Write
from emu.race import arch as race_arch
from emu.race.model.model_sites import MOST_SITES, model_patches
from emu.race.scenario.change import Change
from emu.race.scenario.protocol_text import WIDTHS, WrittenProtocol, WrittenWrite
from emu.race.scenario.scenario import MOST_CPUS, WHOLE, Deferral, Handler, Hotplug, OtherPatcher, Scenario, Stack

__all__ = ["generated", "name_of", "numbered"]

_SEEDS = 1 << 64
_MOST_STAGES = 7  # of a protocol that is nearly none of those below
_MOST_CHANGES = 2  # of one that is nearly one of them
_MOST_VISITS = 2
_MOST_STAGES_OF_OTHERS = 3
_FEW_STEPS = 3  # of a protocol beside which there may be two other patchers
_HANDLERS = tuple(handler for handler in Handler if handler is not Handler.WAIT)
_OTHER_STEPS = ("wait-tasks", "free", "forget", "know", "know 1", "forget 1", "lock", "unlock")
_BY = tuple((*[width] * count, last) for width in WIDTHS for count in range(8) for last in WIDTHS)  # stores of a write
_FAILS = (0, 0, 0, 1, 2, 4)  # the write that fails; 0: none

_Value = TypeVar("_Value")


class _WriteStage(NamedTuple):
    """Writes a part of each site: "head", "tail" or "all" of the breakpoint, the old or the new code.

    Behind a breakpoint is the new tail.
    """

    part: str
    value: str


_Stage: TypeAlias = _WriteStage | str

_STEPS = ("sync", "park", "release")
_BREAKPOINT: tuple[_Stage, ...] = (
    _WriteStage("head", "breakpoint"), "sync", _WriteStage("tail", "new"), "sync", _WriteStage("head", "new"), "sync",
)  # fmt: skip
_STOP_MACHINE: tuple[_Stage, ...] = ("park", _WriteStage("all", "new"), "release")
_FLUSH: tuple[_Stage, ...] = (_WriteStage("all", "new"), "sync")


def numbered(seed: int, number: int, *, arch: str = DEFAULT_ARCHITECTURE, cpus: int = 2, most_sites: int = 2) -> Scenario:
    """Scenario `number` (from 1) of a seed. Its name says both.

    Args:
        seed: the seed, from 0.
        number: which of its scenarios.
        arch, cpus, most_sites: as for `generated`.

    Raises:
        ValueError: the seed is none, or as `generated`.
    """
    if not 0 <= seed < _SEEDS:
        raise ValueError(f"seed {seed}: 0 to {_SEEDS - 1} are possible")
    scenario = generated(Random(f"emu race {seed} {number}"), arch=arch, cpus=cpus, most_sites=most_sites)
    return dataclasses.replace(scenario, name=name_of(seed, number))


def name_of(seed: int, number: int) -> str:
    """The name of scenario `number` of a seed, also that of its file."""
    return f"{seed}-{number:04}"


def generated(random: Random, *, arch: str = DEFAULT_ARCHITECTURE, cpus: int = 2, most_sites: int = 2) -> Scenario:
    """A random scenario, which `scenario_file.parse` reads back from its text.

    Its protocol has at least one step. It is a list of random stages, or one of the architecture's protocols (`breakpoint`,
    `stop_machine`; without breakpoints `flush`, `stop_machine`) with at most two random changes.

    Args:
        random: the source of everything that is random.
        arch: one of emu.architectures.ARCHITECTURES.
        cpus: the number of CPUs.
        most_sites: the largest number of sites.

    Raises:
        ValueError: an argument is impossible. The text says what is possible.
    """
    if arch not in ARCHITECTURES:
        raise ValueError(f"there is no architecture '{arch}'; there are {', '.join(ARCHITECTURES)}")
    for count, most, what in ((cpus, MOST_CPUS, "CPUs"), (most_sites, MOST_SITES, "sites")):
        if not 1 <= count <= most:
            raise ValueError(f"{count} {what}: 1 to {most} are possible")
    draws = _Draws(random)
    known = race_arch.load(arch)
    changes, places = known.changes, known.places
    scenario = Scenario(
        "random", WrittenProtocol(()), "", arch=arch, cpus=cpus,
        places=tuple(draws.one_of(places) for _ in range(1 + draws.below(most_sites))),
        change=draws.one_of(changes),
    )  # fmt: skip
    has_breakpoint = bool(scenario.breakpoint)
    patches = model_patches(scenario)
    stages = _stages(draws, has_breakpoint)
    protocol = WrittenProtocol(tuple(step for stage in stages for step in _steps(stage, patches, scenario.breakpoint)))
    writes = sum(isinstance(step, Write) for step in protocol(patches, scenario.breakpoint))
    first = frozenset((1,))
    scenario = dataclasses.replace(
        scenario,
        protocol=protocol,
        protocol_text=protocol.text,
        fails_at=min(draws.one_of(_FAILS), writes),
        nmi_sites=draws.one_of((frozenset(), first)),
        user=draws.one_of((False, True)),
        visits=draws.below(_MOST_VISITS + 1),
    )
    if has_breakpoint:
        handler = draws.one_of((Handler.EMULATE, *_HANDLERS))
        scenario = dataclasses.replace(
            scenario, handler=handler, handler_sites=draws.one_of((frozenset(), frozenset(), first))
        )
    return _with_more(scenario, draws) if draws.below(2) else scenario


def _with_more(scenario: Scenario, draws: _Draws) -> Scenario:
    """The scenario with more of the words that there are, each with a chance of one in four."""
    none, first = frozenset[int](), frozenset((1,))
    scenario = _with_other_steps(_with_other_code(scenario, draws), draws)
    scenario = dataclasses.replace(
        scenario,
        irq_sites=draws.maybe(first, none),
        idle_sites=draws.maybe(first, none),
        into=frozenset(offset for offset in scenario.offsets[1:] if draws.maybe(True, False)),
        hotplug=draws.maybe(draws.one_of((Hotplug.FREE, Hotplug.LOCKED)), Hotplug.NONE),
        deferral=draws.one_of((*Deferral,)) if scenario.user else scenario.deferral,
        entry_sites=draws.maybe(first, none) if scenario.user else none,
        stores=draws.maybe(draws.one_of((1, 2, 4, 16, WHOLE)), 0),
        live=draws.maybe(True, False),
    )
    if scenario.breakpoint:
        scenario = dataclasses.replace(
            scenario,
            handler=draws.maybe(Handler.WAIT, scenario.handler),
            misses=draws.maybe(first, none),
            nests=draws.maybe(True, False),
            ist=frozenset(stack for stack in Stack if draws.maybe(True, False)),
        )
    if draws.below(2) and len(scenario.places) == 1:
        return _with_others(scenario, draws)
    steps = scenario.steps(model_patches(scenario))
    synchronisations = any(isinstance(step, Synchronise | Release) for step in steps)
    return dataclasses.replace(scenario, deaf=draws.maybe(first, none) if synchronisations else none)


def _with_protocol(scenario: Scenario, steps: Sequence[WrittenWrite | str]) -> Scenario:
    protocol = WrittenProtocol(tuple(steps))
    return dataclasses.replace(scenario, protocol=protocol, protocol_text=protocol.text)


def _with_other_code(scenario: Scenario, draws: _Draws) -> Scenario:
    """The scenario with code instead of a change, if its writes can be made of that."""
    if not draws.maybe(True, False):
        return scenario
    old, new, right = draws.one_of(scenario.race_arch.codes)
    calls = frozenset(side for side in ("old", "new") if draws.maybe(True, False))
    changed = dataclasses.replace(scenario, codes=(old, new), right=right, calls=calls, change=Change.NOP_TO_CALL)
    try:
        changed.steps(model_patches(changed))
    except ValueError:  # a write of other bytes
        return scenario
    return changed


def _with_other_steps(scenario: Scenario, draws: _Draws) -> Scenario:
    """The scenario with steps of other kinds, and writes by several stores."""
    protocol = scenario.protocol
    assert isinstance(protocol, WrittenProtocol)
    patches = model_patches(scenario)
    steps = list(protocol.steps)
    for at, step in enumerate(steps):
        if isinstance(step, WrittenWrite) and draws.maybe(True, False):
            size = len(step.bytes_of(len(patches[0].old), len(scenario.breakpoint)))
            steps[at] = dataclasses.replace(step, by=draws.one_of([by for by in _BY if sum(by[:-1]) < size <= sum(by)]))
    for _ in range(draws.below(3)):
        steps.insert(draws.below(len(steps) + 1), draws.one_of(_OTHER_STEPS))
    return _with_protocol(scenario, steps)


def _with_others(scenario: Scenario, draws: _Draws) -> Scenario:
    """The scenario with one or two other patchers, with a lock or without. No write fails, and no synchronisation is deaf."""
    patches = model_patches(scenario)
    locks = draws.below(2)
    others = []
    assert isinstance(scenario.protocol, WrittenProtocol)
    few = len(scenario.protocol.steps) <= _FEW_STEPS
    for _ in range(1 + (few and not draws.below(4))):
        stages = [_stage(draws, bool(scenario.breakpoint)) for _ in range(1 + draws.below(_MOST_STAGES_OF_OTHERS))]
        steps = [step for stage in stages for step in _steps(stage, patches, scenario.breakpoint)]
        protocol = WrittenProtocol(tuple(["lock"] * locks + steps + ["unlock"] * locks))
        others.append(OtherPatcher(protocol, protocol.text, not draws.below(3)))
    steps = [*["lock"] * locks, *scenario.protocol.steps, *["unlock"] * locks]
    return dataclasses.replace(_with_protocol(scenario, steps), others=tuple(others), fails_at=0)


class _Draws:
    """Random choices that use nothing but `random.random()`."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def below(self, count: int) -> int:
        """A number from 0 to count - 1."""
        return int(self._random.random() * count)

    def one_of(self, values: Sequence[_Value]) -> _Value:
        return values[self.below(len(values))]

    def maybe(self, value: _Value, otherwise: _Value) -> _Value:
        """The value, in one case of four."""
        return otherwise if self.below(4) else value


def _stages(draws: _Draws, has_breakpoint: bool) -> list[_Stage]:
    """The stages of a protocol: at least one."""
    shipped = (_BREAKPOINT, _STOP_MACHINE) if has_breakpoint else (_FLUSH, _STOP_MACHINE)
    nearly = draws.one_of((*shipped, None))
    if nearly is None:
        return [_stage(draws, has_breakpoint) for _ in range(1 + draws.below(_MOST_STAGES))]
    changed = list(nearly)
    for _ in range(draws.below(_MOST_CHANGES + 1)):
        at = draws.below(len(changed))
        changed[at : at + draws.below(2)] = [_stage(draws, has_breakpoint) for _ in range(draws.below(2))]
        changed = changed or list(nearly)
    return changed


def _stage(draws: _Draws, has_breakpoint: bool) -> _Stage:
    """A step; or as often, a write."""
    if draws.below(2):
        return draws.one_of(_STEPS)
    if has_breakpoint:
        return _WriteStage(draws.one_of(("head", "tail", "all")), draws.one_of(("breakpoint", "old", "new")))
    return _WriteStage("all", draws.one_of(("old", "new")))


def _steps(stage: _Stage, patches: Sequence[Patch], breakpoint: bytes) -> list[WrittenWrite | str]:
    """A stage as the steps of a `WrittenProtocol`."""
    if isinstance(stage, str):
        return [stage]
    part, value = stage
    if value != "breakpoint" or part == "head":
        return [WrittenWrite(part, value)]
    if part == "tail":
        return [WrittenWrite("tail", "new")]
    codes = [(breakpoint + patch.new[len(breakpoint) :]).hex(" ") for patch in patches]
    return [WrittenWrite("all", code, site if len(codes) > 1 else 0) for site, code in enumerate(codes, 1)]
