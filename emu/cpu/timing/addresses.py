# SPDX-License-Identifier: GPL-2.0-only
"""The addresses accessed by a block. They are known if they are linear in registers at its beginning or end.

Some others can be calculated when the block begins, using the contents of memory at that time. This takes longer, but such
accesses (following pointers, looking up tables) are those that miss caches most often.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

from emu.cpu.timing import NO_REGISTER, Access, CalculatedAccess
from emu.cpu.timing.core import Core
from emu.cpu.timing.instructions import ABSOLUTE, Effects, Instruction, Place
from emu.cpu.timing.steps import Step, Steps, calculation

__all__ = ["Accesses", "Named", "accesses_of", "name_places"]

_Linear = dict[int, tuple[int, int]]  # register: (base register, constant); ABSOLUTE is always 0
_NOTHING = (ABSOLUTE, 0)


class Named(NamedTuple):
    """An accessed place, by the registers at the block's beginning and at its end; None if it is unknown.

    The latter is only given for places that are written, or whose address is unknown at the beginning.
    """

    place: Place
    write: bool
    at_entry: Access | None
    at_exit: Access | None
    address: Steps | None  # calculated at the beginning, if possible


class Accesses(NamedTuple):
    """Accesses known at the beginning, those known at the end, those that are calculated, and the number of unknown ones."""

    at_entry: tuple[Access, ...]
    at_exit: tuple[Access, ...]
    calculated: tuple[CalculatedAccess, ...]
    unknown: int


def name_places(code: Sequence[Instruction], core: Core) -> list[list[Named]]:
    """The places that each instruction accesses. A place that is read and written is one access."""
    named: list[list[Named]] = []
    values = _Values(core.registers.flags)
    same = True  # whether segments are those of the block's beginning; further down, of its end
    for instruction in code:
        places = [(place, place in instruction.stores) for place in instruction.loads]
        places += [(place, True) for place in instruction.stores if place not in instruction.loads]
        locked = bool(instruction.locked)
        named.append([
            Named(place, write, _access(place, values.linear, write, locked), None, values.address(place))
            if same or not place.segment else Named(place, write, None, None, None)
            for place, write in places
        ])  # fmt: skip
        values.execute(instruction)
        same = same and not instruction.swaps_segments
    known, same = dict(_unchanged(core.registers.flags)), True
    for instruction, found_places in zip(reversed(code), reversed(named), strict=True):
        if instruction.effects:
            _undo(instruction.effects, known)
        same = same and not instruction.swaps_segments
        for n, found in enumerate(found_places):
            if (found.write or found.at_entry is None) and (same or not found.place.segment):
                found_places[n] = found._replace(at_exit=_access(found.place, known, found.write, bool(instruction.locked)))
    return named


def accesses_of(code: Sequence[Instruction], named: Sequence[Sequence[Named]]) -> Accesses:
    """The accesses of a block, except those of repeated instructions."""
    found = [
        (place, bool(instruction.locked))
        for instruction, places in zip(code, named, strict=True)
        for place in places
        if not instruction.repeated
    ]
    others = [(place, locked) for place, locked in found if place.at_entry is None and place.at_exit is None]
    calculated = [
        CalculatedAccess(place.address, place.place.size, place.write, locked)
        for place, locked in others
        if place.address is not None
    ]
    return Accesses(
        tuple(place.at_entry for place, _ in found if place.at_entry is not None),
        tuple(place.at_exit for place, _ in found if place.at_entry is None and place.at_exit is not None),
        tuple(calculated),
        len(others) - len(calculated),
    )


class _Values:
    """The values of registers during the execution of a block, in terms of their values at its beginning.

    Args:
        general: how many general registers there are.

    Attributes:
        linear: those that equal a register plus a constant.
    """

    def __init__(self, general: int) -> None:
        self._unchanged = _unchanged_steps(general)
        self.linear = dict(_unchanged(general))
        self._calculated: dict[int, Steps] = {}  # others
        self._stored: set[Steps | None] = set()  # addresses of stores so far

    def address(self, place: Place) -> Steps | None:
        """The steps that calculate a place's address, if possible. Equal linear addresses have equal steps."""
        known = self.linear.get(place.base)
        if known is not None:
            steps: Steps | None = _steps_of((known[0], known[1] + place.displacement))
        else:
            moved = (Step.REGISTER, place.base), (Step.CONSTANT, place.displacement), (Step.ADD, 0)
            steps = self._calculation(moved, None)
        scaled = self._calculation(((Step.REGISTER, place.scaled),), None)
        if steps is None or scaled is None:
            return None
        if place.scaled != ABSOLUTE:
            steps += (*scaled, (Step.SHIFT_LEFT, place.scale.bit_length() - 1), (Step.ADD, 0))
        if place.segment:
            steps += ((Step.SEGMENT, place.segment),)
        return calculation(steps, self._unchanged, None)

    def execute(self, instruction: Instruction) -> None:
        """Tracks the execution of an instruction."""
        loaded = self.address(instruction.loads[0]) if instruction.loads and instruction.results else None
        loaded = None if loaded in self._stored else loaded  # memory does not hold the value yet when the block begins
        results = [(register, self._calculation(steps, loaded)) for register, steps in instruction.results]
        self._stored |= {self.address(place) for place in instruction.stores}
        if instruction.effects:
            _execute(instruction.effects, self.linear)
            for register, _ in instruction.effects:
                self._calculated.pop(register, None)
        self._calculated.update((register, steps) for register, steps in results if steps is not None)

    def _calculation(self, steps: Steps, loaded: Steps | None) -> Steps | None:
        registers = dict(self._calculated)
        for step, register in steps:
            if step is Step.REGISTER and register in self.linear:
                registers[register] = _steps_of(self.linear[register])
        return calculation(steps, registers, loaded)


@functools.cache
def _unchanged_steps(general: int) -> dict[int, Steps]:
    return {register: ((Step.REGISTER, register),) for register in range(general)}


@functools.cache
def _unchanged(general: int) -> _Linear:
    return {register: (register, 0) for register in (ABSOLUTE, *range(general))}


def _steps_of(linear: tuple[int, int]) -> Steps:
    register, constant = linear
    if register == ABSOLUTE:
        return ((Step.CONSTANT, constant),)
    known: Steps = ((Step.REGISTER, register),)
    return (*known, (Step.CONSTANT, constant), (Step.ADD, 0)) if constant else known


def _access(place: Place, known: _Linear, write: bool, locked: bool) -> Access | None:
    base = known.get(place.base)
    index = _NOTHING if place.scaled == ABSOLUTE else known.get(place.scaled)
    if base is None or index is None:
        return None
    displacement = place.displacement + base[1] + index[1] * place.scale
    first = NO_REGISTER if base[0] == ABSOLUTE else base[0]
    second = NO_REGISTER if index[0] == ABSOLUTE else index[0]
    return Access(first, second, place.scale.bit_length() - 1, displacement, place.size, write, place.segment, locked)


def _execute(effects: Effects, known: _Linear) -> None:
    """The values of registers after an instruction, in terms of those at the block's beginning."""
    new = {}
    for register, effect in effects:
        if effect is not None and (source := known.get(effect[0])) is not None:
            new[register] = source[0], source[1] + effect[1]
    for register, _ in effects:
        known.pop(register, None)
    known.update(new)


def _undo(effects: Effects, known: _Linear) -> None:
    """The values of registers before an instruction, in terms of those at the block's end."""
    after = {register: known.pop(register, None) for register, _ in effects}
    for register, effect in effects:
        value = after[register]
        if effect is not None and value is not None and effect[0] not in known:
            known[effect[0]] = value[0], value[1] - effect[1]
