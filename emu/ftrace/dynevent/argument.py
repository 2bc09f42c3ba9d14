# SPDX-License-Identifier: GPL-2.0-only
"""An argument of a probe event, as it was parsed; and what the probed place lets arguments use."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from emu.ftrace.arch.probing import ProbeRegisters
from emu.ftrace.dynevent.c_types import CTypes, Signature
from emu.ftrace.dynevent.types import FetchType
from emu.ftrace.event.call import EventCall, Field

__all__ = ["Argument", "Bits", "Op", "ProbeSite", "Step"]


class Op(enum.Enum):
    """One step of fetching a value."""

    REGISTER = enum.auto()  # `value`: the word of the register
    STACK = enum.auto()  # the word `value` of the stack
    IMMEDIATE = enum.auto()  # `value` itself
    FILE_OFFSET = enum.auto()  # where the byte `value` of the probed file is mapped
    COMM = enum.auto()  # the task's name
    TEXT = enum.auto()  # `text` itself
    FIELD = enum.auto()  # `field` of the probed event
    DEREFERENCE = enum.auto()  # the word in memory at the previous step's value plus `value`
    USER_DEREFERENCE = enum.auto()  # the same in user memory


@dataclass(frozen=True)
class Step:
    op: Op
    value: int = 0
    text: str = ""
    field: Field | None = None

    @property
    def is_dereference(self) -> bool:
        return self.op in (Op.DEREFERENCE, Op.USER_DEREFERENCE)


@dataclass(frozen=True)
class Bits:
    """A bit field: `width` bits of a number, starting at bit `offset`."""

    width: int
    offset: int


@dataclass(frozen=True)
class Argument:
    """One argument.

    Attributes:
        name: the field's name.
        text: the fetch expression, as it was written.
        type: the type of the value, or of each value in an array.
        count: the number of values in an array; 0: not an array.
        steps: the steps that fetch the value. The last one is a dereference if the value is in memory.
        bits: the bits of the number, if not all are used.
        is_user: whether it reads user memory instead of the kernel's.
    """

    name: str
    text: str
    type: FetchType
    count: int
    steps: Sequence[Step]
    bits: Bits | None
    is_user: bool

    def __str__(self) -> str:
        return f"{self.name}={self.text}"

    @property
    def size(self) -> int:
        """The size in the entry in bytes, not counting the data of strings."""
        return self.type.size * (self.count or 1)

    def is_like(self, other: Argument) -> bool:
        """Whether two probes with these arguments can share an event."""
        return (self.name, self.type, self.count) == (other.name, other.type, other.count)


@dataclass(frozen=True)
class ProbeSite:
    """Where arguments are fetched, which determines the arguments that are allowed.

    Attributes:
        registers: the registers; None for an eprobe, which has none.
        symbol: returns the address of a kernel symbol, or None if there is none.
        user: whether it is in a program.
        at_entry: whether it is a function's first instruction.
        returns: whether it is a function's return.
        event: the probed event.
        types: the kernel's types; None: they are not known. Otherwise names of a function's parameters are arguments.
        signature: those of the probed function, at its entry or return; None if it is not known, or elsewhere.
        has_registers: whether `%NAME` can be used.
        has_stack: whether the stack can be used.
    """

    registers: ProbeRegisters | None
    symbol: Callable[[str], int | None] = field(default=lambda name: None)
    user: bool = False
    at_entry: bool = False
    returns: bool = False
    event: EventCall | None = None
    types: CTypes | None = None
    signature: Signature | None = None
    has_registers: bool = True
    has_stack: bool = True
