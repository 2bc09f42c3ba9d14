# SPDX-License-Identifier: GPL-2.0-only
"""The condition of a litmus test over a final state: `exists`, `~exists` or `forall`, and a proposition as herd7 has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["And", "Equal", "Fault", "FinalValue", "Not", "Or", "Proposition", "Quantifier", "holds"]


class Quantifier(StrEnum):
    """What a test says of its final states."""

    EXISTS = "exists"  # the proposition holds in one of them
    NOT_EXISTS = "~exists"  # in none
    FORALL = "forall"  # in all


@dataclass(frozen=True, order=True)
class FinalValue:
    """A register or a word of memory whose final value is looked at.

    Attributes:
        cpu: whose register; -1: a word of memory.
        name: of the register or of the word.
    """

    cpu: int
    name: str

    def __str__(self) -> str:
        return self.name if self.cpu < 0 else f"{self.cpu}:{self.name}"


@dataclass(frozen=True)
class Equal:
    """A value is a number, which has as many bits as the register or word."""

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
    """Whether a proposition is true of a final state: its values, and by CPU the exceptions that ended one."""
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
