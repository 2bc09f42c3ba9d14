# SPDX-License-Identifier: GPL-2.0-only
"""Native code's records of tracepoints."""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.trace_records import Consumer, Event, EventContext
from emu.linux.lift.area import Area
from emu.native.records import Record, u64

__all__ = ["Lifted", "Place", "Tracepoint", "User"]

Lifted = Callable[[u64, u64], u64]
"""A lifted function: (address of the CPU's general registers, address of its per-CPU area) -> see the lifter."""


class User(Record):
    """Somebody who wants to know when a tracepoint is reached."""

    handler: Callable[[Cpu, User], None]
    tracepoint: Tracepoint
    probe: Callable[[u64, u64], u64]  # of an event: the lifted function that stores its entry
    event: Event  # ... and the event
    consumer: Consumer  # of another user: what is run
    next: User | None


class Tracepoint(Record):
    """A tracepoint that somebody uses."""

    first: User | None
    area: Area
    fill: Callable[[Cpu, EventContext], None]  # stores the arguments in `registers`, as those of a function that begins
    missed: u64  # how often the lifted code has failed


class Place(Record):
    """A place of the code that reaches a tracepoint."""

    ip: u64
    tracepoint: Tracepoint
    lifted: Callable[[u64, u64], u64]
