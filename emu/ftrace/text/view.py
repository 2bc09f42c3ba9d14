# SPDX-License-Identifier: GPL-2.0-only
"""The data for printing a trace: a snapshot of its events, and everything else that their text depends on."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, Protocol

from emu.ftrace.buffers.entries import Events
from emu.ftrace.event.call import EventCall
from emu.ftrace.event.constants import Constants
from emu.ftrace.symbols import Symbols
from emu.ftrace.text.pointer_hash import keyed_hash
from emu.ftrace.words import Words
from emu.kernel.user_mappings import MappedFile

__all__ = ["LatencyData", "Parameter", "ParameterKind", "Prototypes", "TraceView"]

_USUAL = Words()


class ParameterKind(enum.Enum):
    """How an argument is shown."""

    NUMBER = enum.auto()  # of an integer type or an enumeration
    POINTER = enum.auto()
    UNKNOWN = enum.auto()  # its type is not known
    OTHER = enum.auto()  # a structure that is passed by value, for example


class Parameter(NamedTuple):
    """A parameter of a function.

    Attributes:
        name: "" if it has none.
        type: of an OTHER one, the kind of its type: STRUCT.
        size: ... and its size in bytes.
    """

    name: str
    kind: ParameterKind
    type: str = ""
    size: int = 0


class Prototypes(Protocol):
    def parameters(self, function: str, module: str) -> Sequence[Parameter] | None:
        """The parameters of a function of the kernel ("") or of a module; None if they are not known."""

    def data(self) -> Mapping[str, bytes | memoryview]:
        """The BTF that tells them: of the kernel, named "", and of modules."""


@dataclass(frozen=True)
class LatencyData:
    """The data about the longest latency in latency-format's header."""

    latency: int = 0  # nanoseconds
    cpu: int = 0
    comm: str = ""
    pid: int = 0
    nice: int = 0
    policy: int = 0
    rt_priority: int = 0
    critical_start: int = 0  # where the section started; 0 if the latency is not a section's
    critical_end: int = 0


@dataclass(frozen=True)
class TraceView:
    """A snapshot of a trace, with everything that its text depends on.

    `events` may have several parts for one CPU, in order. `entries` and `written` are the buffer's counts for the header: they
    can differ from the number of events here. Missing options are off.
    """

    tracer: str
    events: Sequence[Events]
    entries: int
    written: int
    cpus: int
    options: Mapping[str, bool]
    symbols: Symbols
    comm_of: Callable[[int], str | None]  # the saved name of a pid
    prototypes: Prototypes | None = None  # None: no function's is known
    tgid_of: Callable[[int], int | None] = lambda pid: None
    clock_is_ns: bool = True  # otherwise timestamps are printed as plain numbers
    irq_entry_text: range = range(0)  # addresses of the interrupt entry functions
    calls: Mapping[int, EventCall] = field(default_factory=dict)  # the guest's events, by `common_type`
    string_at: Callable[[int], str | None] = lambda address: None  # the string at an address of the kernel or of a module
    mapped_file: Callable[[int, int], MappedFile | None] = lambda tgid, address: None  # of a running process
    kernel_values: Mapping[str, int] = field(default_factory=dict)  # of the variables that a print fmt may use, such as `jiffies`
    kernel_constants: Constants = field(default_factory=dict[str, int])  # constants for it, including `sizeof(struct page)`
    hash_pointer: Callable[[int], int] = field(default_factory=lambda: partial(keyed_hash, 0))  # what %p shows for an address
    warn: Callable[[str], None] = lambda text: None  # called once per broken event
    words: Words = _USUAL  # the guest's word size and byte order
    release: str = ""  # of the guest's kernel, as in uname
    latency: LatencyData = LatencyData()
    start: int = 0  # the start of the trace, in the trace clock's time
    consuming: bool = False  # whether events are consumed one by one, so an event's successor is unknown
    first_number: int = 0  # of the first event, for formats with numbers

    def option(self, name: str) -> bool:
        return self.options.get(name, False)

    def task_name(self, pid: int) -> str:
        """The name that Linux prints for a task: the idle task and tasks without a saved name have special names."""
        return "<idle>" if pid == 0 else self.comm_of(pid) or "<...>"
