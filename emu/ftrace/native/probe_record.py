# SPDX-License-Identifier: GPL-2.0-only
"""One probe of an event, for native code: the `target` of its consumer."""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.fetch_record import FetchStep
from emu.ftrace.native.trace_records import Consumer, Event, EventFile
from emu.native.functions import Compiled
from emu.native.records import Record, Records, u64

__all__ = ["Probe", "ProbeHandler"]

ProbeHandler = Compiled[[Cpu, Consumer], None]
"""What is called where a probe is: the handler of its consumer."""


class Probe(Record):
    """A probe, of an event or of the host's own ones."""

    event: Event  # that it makes
    file: EventFile | None  # that alone gets the entries; None: all arrays that want the event do
    program: Records[FetchStep]  # fetches the arguments
    size: u64  # bytes of an entry, without what strings append
    uses_registers: bool  # the program looks at registers
    hits: u64
    callback: Callable[[Cpu, Probe], None]  # of the host's own probes: is told of each hit
    entry: u64  # ... and address of the entry with the arguments, while it is told
