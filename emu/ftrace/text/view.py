# SPDX-License-Identifier: GPL-2.0-only
"""What there is to print: a snapshot of a trace, and what else its text needs to know."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.buffers.entries import Events
from emu.ftrace.event.call import EventCall
from emu.ftrace.words import Words
from emu.kernel.user_mappings import MappedFile

__all__ = ["LatencyData", "Symbol", "Symbols", "TraceView"]

_USUAL = Words()


class Symbol(NamedTuple):
    """Where an address lies: `offset` bytes into a symbol of `size` bytes, in the kernel or in a module."""

    name: str
    offset: int
    size: int
    module: str = ""


class Symbols(Protocol):
    def lookup(self, addresses: NDArray[np.uint64]) -> Sequence[Symbol | None]:
        """The symbol at each address; None where there is none."""


@dataclass(frozen=True)
class LatencyData:
    """What the header of latency-format says of the longest latency."""

    latency: int = 0  # nanoseconds
    cpu: int = 0
    comm: str = ""
    pid: int = 0
    nice: int = 0
    policy: int = 0
    rt_priority: int = 0
    critical_start: int = 0  # where the section began; 0: it is not about a section
    critical_end: int = 0


@dataclass(frozen=True)
class TraceView:
    """A snapshot of a trace and its surroundings.

    `events` may hold several parts of one CPU's events, in order. `entries` and `written` are what the header says of
    the buffer: they can differ from the number of events here. Options that are missing are off.
    """

    tracer: str
    events: Sequence[Events]
    entries: int
    written: int
    cpus: int
    options: Mapping[str, bool]
    symbols: Symbols
    comm_of: Callable[[int], str | None]  # the remembered name of a pid
    tgid_of: Callable[[int], int | None] = lambda pid: None
    clock_is_ns: bool = True  # else times are printed as plain numbers
    irq_entry_text: range = range(0)  # addresses of the functions by which interrupts enter
    calls: Mapping[int, EventCall] = field(default_factory=dict)  # the events of the guest, by `common_type`
    string_at: Callable[[int], str | None] = lambda address: None  # a string of the kernel or of a module
    mapped_file: Callable[[int, int], MappedFile | None] = lambda tgid, address: None  # of a process that lives
    kernel_values: Mapping[str, int] = field(default_factory=dict)  # of variables that a print fmt may name: `jiffies`
    kernel_constants: Mapping[str, int] = field(default_factory=dict)  # that it may name, `sizeof(struct page)` among them
    pointer_key: int = 0  # with another, %p hides an address behind another number
    warn: Callable[[str], None] = lambda text: None  # gets what is wrong with an event, once
    words: Words = _USUAL  # the guest's: of binary output, of what bprint events have, of how many digits an address has
    release: str = ""  # of the guest's kernel, as uname has it
    latency: LatencyData = LatencyData()
    start: int = 0  # the time of the beginning, by the trace's clock
    consuming: bool = False  # the events are taken out one by one: what follows each is not known
    first_number: int = 0  # of the first event, where events are numbered

    def option(self, name: str) -> bool:
        return self.options.get(name, False)

    def task_name(self, pid: int) -> str:
        """As Linux names a task: the idle task and those whose name is forgotten have a name that no program has."""
        return "<idle>" if pid == 0 else self.comm_of(pid) or "<...>"
