# SPDX-License-Identifier: GPL-2.0-only
"""The final condition of a litmus test: `exists`, `~exists` or `forall`, and a proposition, as in herd7."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["And", "Equal", "Fault", "FinalValue", "Not", "Or", "Proposition", "Quantifier", "holds"]


class Quantifier(StrEnum):
    """The claim of a test about its final states."""

    EXISTS = "exists"  # the proposition holds in at least one
    NOT_EXISTS = "~exists"  # in no final state
    FORALL = "forall"  # in all final states


@dataclass(frozen=True, order=True)
class FinalValue:
    """A register or memory word whose final value matters.

    Attributes:
        cpu: the register's CPU; -1 for a memory word.
        name: the name of the register or word.
    """

    cpu: int
    name: str

    def __str__(self) -> str:
        return self.name if self.cpu < 0 else f"{self.cpu}:{self.name}"


@dataclass(frozen=True)
class Equal:
    """A value equals a number, truncated to the bits of the register or word."""

    value: FinalValue
    number: int


@dataclass(frozen=True)
class Fault:
    """A CPU ended with an exception."""

    cpu: int


@dataclass(frozen=True)
class Not:
    inner: Proposition


@dataclass(frozen=True)
class And:
    left: Proposition
    right: Proposition


@dataclass(frozen=True)
class Or:
    left: Proposition
    right: Proposition


Proposition = Equal | Fault | Not | And | Or


def holds(proposition: Proposition, values: Mapping[FinalValue, int], faults: Mapping[int, str]) -> bool:
    """Whether a proposition holds in a final state, given by its values and by the exceptions that ended CPUs."""
    match proposition:
        case Equal(value, number):
            return values[value] == number
        case Fault(cpu):
            return cpu in faults
        case Not(inner):
            return not holds(inner, values, faults)
        case And(left, right):
            return holds(left, values, faults) and holds(right, values, faults)
        case Or(left, right):
            return holds(left, values, faults) or holds(right, values, faults)
