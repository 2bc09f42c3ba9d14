# SPDX-License-Identifier: GPL-2.0-only
"""Measures code on a bare board whose CPUs have pipelines, predictors and caches."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from tests.cpu.bare import KERNEL, Bare

__all__ = ["DATA", "Each", "bouncing", "chase", "each", "run"]

DATA = 0x200000  # free RAM


class Each(NamedTuple):
    """The cycles of a loop's round, and its counters."""

    cycles: float
    counts: dict[str, float]


def run(source: str, prepare: Callable[[Bare], object] = lambda bare: None) -> tuple[int, Counter[str]]:
    """The cycles that code takes from reset to its `hlt`, and the counters. `prepare`: fills RAM."""
    bare = Bare(timing="caches")
    prepare(bare)
    bare.start(source + "; cli; hlt")
    assert bare.run()
    assert bare.board.timing is not None
    return bare.board.cpus[0].cycles, Counter(bare.board.timing.counts(0))


def each(
    body: str, *, before: str = "nop", behind: str = "", rounds: int = 200, prepare: Callable[[Bare], object] | None = None
) -> Each:
    """A round of a loop in steady state.

    Args:
        body: of the loop; it must not change r12.
        before: is executed once.
        behind: functions, placed behind the end.
        rounds: the number executed before the measurement, and in it.
        prepare: fills RAM.
    """

    def of(count: int) -> tuple[int, Counter[str]]:
        loop = f"{before}; mov r12, {count}; again: {body}; dec r12; jnz again; cli; hlt; {behind}"
        return run(loop, prepare or (lambda bare: None))

    (first, counted), (both, all_counted) = of(rounds), of(2 * rounds)
    return Each((both - first) / rounds, {name: (all_counted[name] - counted[name]) / rounds for name in all_counted})


def chase(lines: int, *, passes: int = 1) -> Each:
    """A load whose address is the result of the load before; the addresses are `lines` lines in random order.

    Args:
        lines: their number.
        passes: over all lines before the measured one, and after one in order; 0: the lines have not been read.
    """
    order = list(range(lines))
    random.Random(lines).shuffle(order)

    def prepare(bare: Bare) -> None:
        for line, following in zip(order, [*order[1:], order[0]], strict=True):
            bare.word(DATA + line * 64, KERNEL + DATA + following * 64)

    first = f"mov rbx, {KERNEL + DATA + order[0] * 64:#x}"
    if not passes:
        return each("mov rbx, [rbx]", before=first, rounds=lines // 2, prepare=prepare)
    touched = f"mov rbx, {KERNEL + DATA:#x}; mov r12, {lines}; touch: mov rax, [rbx]; add rbx, 64; dec r12; jnz touch"
    return each("mov rbx, [rbx]", before=f"{touched}; {first}", rounds=lines * passes, prepare=prepare)


def bouncing(quantum: int, rounds: int = 1500) -> Each:
    """A locked increment of a word that another CPU increments as well, in steady state."""

    def of(count: int) -> tuple[int, Counter[str]]:
        bare = Bare(2, quantum=quantum, timing="caches")
        loop = f"mov rbx, {KERNEL + DATA:#x}; mov r12, {count}; l: lock inc qword ptr [rbx]; dec r12; jnz l; cli; hlt"
        for cpu in range(2):
            bare.start(loop, cpu=cpu)
        assert bare.run()
        assert bare.read(DATA) == 2 * count
        assert bare.board.timing is not None
        counted = Counter(bare.board.timing.counts(0)) + Counter(bare.board.timing.counts(1))
        return max(cpu.cycles for cpu in bare.board.cpus), counted

    (first, counted), (both, all_counted) = of(rounds), of(3 * rounds)
    counts = {name: (all_counted[name] - counted[name]) / 4 / rounds for name in all_counted}
    return Each((both - first) / 2 / rounds, counts)
