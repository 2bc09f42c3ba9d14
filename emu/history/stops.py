# SPDX-License-Identifier: GPL-2.0-only
"""What stops a machine under `Travel`, and why it has stopped."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

__all__ = ["Breakpoint", "Instant", "Reason", "Stop", "StopReason", "TakenTrap", "Watchpoint"]


@dataclass(frozen=True)
class Breakpoint:
    """Stops before the instruction at an address is executed.

    Attributes:
        address: virtual.
        cpu: the index of the only CPU that it stops; None: each does.
    """

    address: int
    cpu: int | None = None


@dataclass(frozen=True)
class Watchpoint:
    """Stops at an instruction that accesses memory, and where the host writes to it.

    Attributes:
        address: of the first byte.
        size: bytes.
        reads, writes: the accesses that stop.
        physical: whether the address is physical; otherwise it is virtual, of whatever address space a CPU uses.
        cpu: the index of the only CPU that it stops; None: each does. The host's writes always stop.
    """

    address: int
    size: int = 8
    reads: bool = False
    writes: bool = True
    physical: bool = False
    cpu: int | None = None


@dataclass(frozen=True)
class TakenTrap:
    """Stops where a CPU has taken a trap, before the first instruction of the handler.

    A system call that the CPU executes as a mere jump, as some do, is none.

    Attributes:
        cpu: the index of the only CPU that it stops; None: each does.
    """

    cpu: int | None = None


Stop: TypeAlias = Breakpoint | Watchpoint | TakenTrap


@dataclass(frozen=True, order=True)
class Instant:
    """A moment of a run: before an instruction. Later moments are greater. The same run has the same instants every time.

    Attributes:
        turn: the number of the turn in which it is; turns are counted from the beginning of the history.
        instructions: those that the CPU whose turn it is has started, with those of the block that has begun; 0: the turn has
            not begun.
        place: the virtual address of the instruction.
        cpu: the index of the CPU whose turn it is.
    """

    turn: int
    instructions: int = 0
    place: int = 0
    cpu: int = field(default=0, compare=False)


class Reason(Enum):
    """Why a machine has stopped."""

    BREAKPOINT = "breakpoint"  # or a trap that is taken
    WATCHPOINT = "watchpoint"
    STEP = "step"  # the steps are done
    TIME = "time"  # the limit of time
    ENDED = "ended"  # the command has ended
    IDLE = "idle"  # every CPU sleeps, and nothing will wake one
    INTERRUPTED = "interrupted"  # the caller wanted it
    START = "start"  # going back: there is no earlier instant in the history
    FAILED = "failed"  # the guest's kernel has panicked, or has switched the machine off


@dataclass(frozen=True)
class StopReason:
    """Why, where and when a machine has stopped.

    Attributes:
        reason: why.
        instant: the present instant.
        cpu: the CPU that stopped it, or whose turn it is.
        stops: the breakpoints or watchpoints that it is at.
        write: for a watchpoint, whether the access was a write.
        address: for a watchpoint, the address that was accessed, virtual or physical as the watchpoint's.
        host: whether it was the host that wrote. `cpu` has then executed nothing.
        status: of a command that has ended, as a shell shows it.
        text: one line for FAILED.
    """

    reason: Reason
    instant: Instant
    cpu: int
    stops: tuple[Stop, ...] = ()
    write: bool = False
    address: int = 0
    host: bool = False
    status: int | None = None
    text: str = ""
