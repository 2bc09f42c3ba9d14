# SPDX-License-Identifier: GPL-2.0-only
"""Addresses that a block accesses. They are known beforehand if they are linear in registers at its beginning or end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from emu.cpu.arch.x86_64.operations import ABSOLUTE, FLAGS, Effects, Instruction, Place
from emu.cpu.timing import NO_REGISTER, Access

__all__ = ["Accesses", "Named", "accesses_of", "name_places"]

_Linear = dict[int, tuple[int, int]]  # register: it is that register plus a constant; ABSOLUTE is always 0
_REGISTERS: _Linear = {register: (register, 0) for register in (ABSOLUTE, *range(FLAGS))}
_NOTHING = (ABSOLUTE, 0)


class Named(NamedTuple):
    """A place that an instruction accesses, by the registers at the block's beginning and at its end; None: it is not known.

    The latter is said only of places that are written, or whose address is not known at the beginning.
    """

    place: Place
    write: bool
    at_entry: Access | None
    at_exit: Access | None


class Accesses(NamedTuple):
    """Those known at the beginning, those known at the end, and how many are known nowhere."""

    at_entry: tuple[Access, ...]
    at_exit: tuple[Access, ...]
    unknown: int


def name_places(code: Sequence[Instruction]) -> list[list[Named]]:
    """What each instruction accesses. A place that is modified is one access."""
    named: list[list[Named]] = []
    known = dict(_REGISTERS)
    for instruction in code:
        places = []
        for place in instruction.loads:
            write = place in instruction.stores
            places.append(Named(place, write, _access(place, known, write, bool(instruction.locked)), None))
        for place in instruction.stores:
            if place not in instruction.loads:
                places.append(Named(place, True, _access(place, known, True, bool(instruction.locked)), None))
        named.append(places)
        if instruction.effects:
            _execute(instruction.effects, known)
    known = dict(_REGISTERS)
    for instruction, places in zip(reversed(code), reversed(named), strict=True):
        if instruction.effects:
            _undo(instruction.effects, known)
        for n, found in enumerate(places):
            if found.write or found.at_entry is None:
                places[n] = found._replace(at_exit=_access(found.place, known, found.write, bool(instruction.locked)))
    return named


def accesses_of(code: Sequence[Instruction], named: Sequence[Sequence[Named]]) -> Accesses:
    """The accesses of a block, but those of repeated instructions."""
    all_named = [found for instruction, places in zip(code, named, strict=True) for found in places if not instruction.repeated]
    return Accesses(
        tuple(found.at_entry for found in all_named if found.at_entry is not None),
        tuple(found.at_exit for found in all_named if found.at_entry is None and found.at_exit is not None),
        sum(found.at_entry is None and found.at_exit is None for found in all_named),
    )


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
    """What registers are after an instruction, in those at the block's beginning."""
    new = {}
    for register, effect in effects:
        if effect is not None and (source := known.get(effect[0])) is not None:
            new[register] = source[0], source[1] + effect[1]
    for register, _ in effects:
        known.pop(register, None)
    known.update(new)


def _undo(effects: Effects, known: _Linear) -> None:
    """What registers were before an instruction, in those at the block's end."""
    after = {register: known.pop(register, None) for register, _ in effects}
    for register, effect in effects:
        value = after[register]
        if effect is not None and value is not None and effect[0] not in known:
            known[effect[0]] = value[0], value[1] - effect[1]
