# SPDX-License-Identifier: GPL-2.0-only
"""Native code's record of a probe: the `target` of its consumer."""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.fetch_record import FetchStep
from emu.ftrace.native.trace_records import Consumer, Event, EventFile
from emu.native.functions import Compiled
from emu.native.records import Record, Records, u64

__all__ = ["Probe", "ProbeHandler"]

ProbeHandler = Compiled[[Cpu, Consumer], None]
"""The handler of a probe's consumer."""


class Probe(Record):
    """A probe that generates an event, or one of the host's own."""

    event: Event  # the generated event
    file: EventFile | None  # the only event file that gets the entries; None: all arrays that use the event
    program: Records[FetchStep]  # fetches the arguments
    size: u64  # bytes of an entry, not counting the data of strings
    uses_registers: bool  # whether the program reads registers
    hits: u64
    callback: Callable[[Cpu, Probe], None]  # of the host's own probes: called for each hit
    entry: u64  # ... the address of the entry with the arguments during that call
