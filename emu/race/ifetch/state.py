# SPDX-License-Identifier: GPL-2.0-only
"""The state of a test of AArch64's instruction fetch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from emu.race.ifetch.herd_text import Value, register

__all__ = [
    "NOTHING", "Cpu", "Since", "State", "Unsupported", "Version", "is_offset", "number_of", "put", "raised", "read", "replaced",
    "set_register", "sorted_items", "with_changes",
]  # fmt: skip


class Unsupported(Exception):
    """What the lab does not decide. Its text says why."""


class Since(NamedTuple):
    """What a CPU has done since its last access to shared memory.

    Attributes:
        access: "R" or "W"; "": there was none, or what follows is ordered.
        place: the location of that access.
        control: whether a branch depends on what it has loaded.
        synchronised: whether an ISB came behind such a branch.
        loads: whether a barrier that orders loads only came; `stores`: one of stores.
    """

    access: str = ""
    place: str = ""
    control: bool = False
    synchronised: bool = False
    loads: bool = False
    stores: bool = False


NOTHING = Since()


class Version(NamedTuple):
    """An instruction that was stored, and what had been dropped from caches of instructions before."""

    code: Value
    dropped: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Cpu:
    """A CPU.

    Attributes:
        pc: the CPU and the number of its next instruction.
        tainted: registers that depend on the last shared load.
        equal: the flag Z.
        bounds: by code: the oldest version that it may fetch, if that is not 0.
        cleaning: DC CVAU without a barrier behind: code and version; `dropping`: IC IVAU without a DSB.
        open: the location of the last access to shared memory, or of a DC CVAU, that no DSB came behind.
        loaded: whether there is such a load; `fenced`: whether a DMB came behind it.
        loose: whether an ISB was not ordered behind a shared load; `undone`: code that it has invalidated itself since an ISB.
    """

    pc: tuple[int, int]
    registers: tuple[Value, ...]
    tainted: frozenset[int] = frozenset()
    equal: tuple[bool, bool] = (False, False)
    since: Since = NOTHING
    bounds: tuple[tuple[str, int], ...] = ()
    cleaning: tuple[tuple[str, int], ...] = ()
    dropping: tuple[tuple[str, int], ...] = ()
    open: str = ""
    loaded: bool = False
    fenced: bool = False
    loose: bool = False
    undone: frozenset[str] = frozenset()


@dataclass(frozen=True)
class State:
    """All CPUs, memory, the versions of code, and to which version it is cleaned and invalidated."""

    cpus: tuple[Cpu, ...]
    words: tuple[tuple[str, Value], ...]
    code: tuple[tuple[str, tuple[Version, ...]], ...]
    cleaned: tuple[tuple[str, int], ...] = ()
    dropped: tuple[tuple[str, int], ...] = ()


def number_of(operand: str) -> int:
    """The number of a register."""
    number = register(operand)
    if number is None:
        raise Unsupported(f"'{operand}' is no register")
    return number


def read(me: Cpu, number: int) -> Value:
    return me.registers[number] if number < 31 else 0


def is_offset(part: str) -> bool:
    """Whether it is the offset in an address, as a number."""
    return register(part) is None and not part.strip().upper().startswith(("SXTW", "UXTW", "LSL"))


def set_register(me: Cpu, number: int, value: Value, *, tainted: bool) -> Cpu:
    if number == 31:
        return me
    registers = (*me.registers[:number], value, *me.registers[number + 1 :])
    return replaced(me, registers=registers, tainted=me.tainted | {number} if tainted else me.tainted - {number})


def replaced(me: Cpu, **changes: object) -> Cpu:
    return Cpu(**{**me.__dict__, **changes})


def with_changes(state: State, **changes: object) -> State:
    return State(**{**state.__dict__, **{name: sorted_items(of) if isinstance(of, dict) else of for name, of in changes.items()}})


def put(state: State, cpu: int, me: Cpu) -> State:
    return with_changes(state, cpus=(*state.cpus[:cpu], me, *state.cpus[cpu + 1 :]))


def sorted_items(of: Mapping[str, object]) -> tuple[tuple[str, object], ...]:
    return tuple(sorted(of.items()))


def raised(of: tuple[tuple[str, int], ...], by: tuple[tuple[str, int], ...]) -> tuple[tuple[str, int], ...]:
    """The larger of two versions, by place."""
    found = dict(of)
    for place, version in by:
        found[place] = max(found.get(place, 0), version)
    return tuple(sorted(found.items()))
