# SPDX-License-Identifier: GPL-2.0-only
"""Which CPU accesses which memory: what no other CPU accesses can be done at once, without trying other orders.

This is a partial-order reduction with persistent sets (Godefroid, "Partial-Order Methods for the Verification of Concurrent
Systems", 1996). Whether another CPU accesses some memory is known only at the end of a search. So the first search assumes that
none does, unless one has; a search during which that changes is followed by another one, until nothing changes any more.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

__all__ = ["Access", "Footprints"]

_PIECE = 3  # bits: memory is divided into pieces of 8 bytes


class Access(Enum):
    FETCH = 0
    LOAD = 1
    STORE = 2


class Footprints:
    """The memory that each CPU has accessed so far.

    Attributes:
        changed: whether a CPU has accessed something new since `begin`.
    """

    def __init__(self, cpus: int) -> None:
        self._accessed: list[dict[Access, set[int]]] = [{access: set() for access in Access} for _ in range(cpus)]
        self.changed = False

    def begin(self) -> None:
        """A search begins."""
        self.changed = False

    def add(self, cpu: int, access: Access, address: int, size: int) -> None:
        """A CPU accesses memory."""
        pieces = self._accessed[cpu][access]
        for piece in _pieces(address, size):
            if piece not in pieces:
                pieces.add(piece)
                self.changed = True

    def is_alone(self, cpu: int, access: Access, address: int, size: int) -> bool:
        """Whether an access is independent of those of all other CPUs, and of other kinds of accesses of its own CPU to code."""
        found = list(_pieces(address, size))
        return not any(
            piece in accessed[other]
            for other_cpu, accessed in enumerate(self._accessed)
            for other in _conflicting(access, own=other_cpu == cpu)
            for piece in found
        )


def _pieces(address: int, size: int) -> Iterable[int]:
    return range(address >> _PIECE, (address + max(size, 1) - 1 >> _PIECE) + 1)


def _conflicting(access: Access, *, own: bool) -> tuple[Access, ...]:
    """The kinds of accesses whose order with this one matters. A CPU's own loads see its stores at once; its fetches do not."""
    if access is Access.STORE:
        return (Access.FETCH,) if own else tuple(Access)
    if access is Access.FETCH:
        return (Access.STORE,)
    return () if own else (Access.STORE,)
