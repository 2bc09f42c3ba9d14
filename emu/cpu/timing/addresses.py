# SPDX-License-Identifier: GPL-2.0-only
"""Addresses that a block accesses. They are known beforehand if they are linear in registers at its beginning or end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from emu.cpu.arch.x86_64.operations import ABSOLUTE, FLAGS, STACK_POINTER, Instruction, Place
from emu.cpu.timing import NO_REGISTER, Access

__all__ = ["Accesses", "Named", "accesses_of", "name_places"]

_Linear = dict[int, tuple[int, int]]  # register: it is that register plus a constant; ABSOLUTE is always 0
_REGISTERS: _Linear = {register: (register, 0) for register in (ABSOLUTE, *range(FLAGS))}


class Named(NamedTuple):
    """A place that an instruction accesses, by the registers at the block's beginning and at its end; None: it is not known."""

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
    named = []
    for instruction, first, last in zip(code, _from_entry(code), _from_exit(code), strict=True):
        places = [(place, place in instruction.stores) for place in instruction.loads]
        places += [(place, True) for place in instruction.stores if place not in instruction.loads]
        named.append(
            [
                Named(place, write, *(_access(place, state, write, instruction.locked) for state in (first, last)))
                for place, write in places
            ]
        )
    return named


def accesses_of(code: Sequence[Instruction], named: Sequence[Sequence[Named]]) -> Accesses:
    """The accesses of a block, but those of repeated instructions."""
    all_named = [found for instruction, places in zip(code, named, strict=True) for found in places if not instruction.repeated]
    return Accesses(
        tuple(found.at_entry for found in all_named if found.at_entry is not None),
        tuple(found.at_exit for found in all_named if found.at_entry is None and found.at_exit is not None),
        sum(found.at_entry is None and found.at_exit is None for found in all_named),
    )


def _access(place: Place, state: _Linear, write: bool, locked: bool) -> Access | None:
    base, index = state.get(place.base), state.get(place.scaled)
    if base is None or index is None:
        return None
    displacement = place.displacement + base[1] + index[1] * place.scale
    first, second = (NO_REGISTER if register == ABSOLUTE else register for register in (base[0], index[0]))
    return Access(first, second, place.scale.bit_length() - 1, displacement, place.size, write, place.segment, locked)


def _effects(instruction: Instruction) -> dict[int, tuple[int, int] | None]:
    """What an instruction makes of general registers: a register plus a constant, or None."""
    effects: dict[int, tuple[int, int] | None] = {register: None for register in instruction.writes if register < FLAGS}
    if instruction.linear is not None:
        effects[instruction.linear[0]] = instruction.linear[1:]
    if instruction.stack and STACK_POINTER not in effects:
        effects[STACK_POINTER] = STACK_POINTER, instruction.stack
    return effects


def _from_entry(code: Sequence[Instruction]) -> list[_Linear]:
    """Before each instruction: what its registers are in those at the block's beginning."""
    state = _REGISTERS
    before = []
    for instruction in code:
        before.append(state)
        effects = _effects(instruction)
        if effects:
            new = {register: known for register, known in state.items() if register not in effects}
            for register, effect in effects.items():
                if effect is not None and effect[0] in state:
                    source = state[effect[0]]
                    new[register] = source[0], source[1] + effect[1]
            state = new
    return before


def _from_exit(code: Sequence[Instruction]) -> list[_Linear]:
    """Before each instruction: what its registers are in those at the block's end."""
    state = _REGISTERS
    before = []
    for instruction in reversed(code):
        effects = _effects(instruction)
        if effects:
            earlier = {register: known for register, known in state.items() if register not in effects}
            for register, effect in effects.items():
                if effect is not None and register in state and effect[0] not in earlier:
                    earlier[effect[0]] = state[register][0], state[register][1] - effect[1]
            state = earlier
        before.append(state)
    return before[::-1]
