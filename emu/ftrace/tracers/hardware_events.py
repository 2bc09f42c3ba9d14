# SPDX-License-Identifier: GPL-2.0-only
"""The event `hardware:sample`: where in the code every Nth cache miss, mispredicted branch or the like happens.

    echo 'L1-dcache-load-misses:1000' >> hardware_events
    echo 'hist:keys=ip.sym,event:vals=period:sort=hitcount' > events/hardware/sample/trigger

The counters are those of the board's timing model. A sample is taken when the block in which the period ended has been
charged, and `ip` is that block's start. The model knows a branch's outcome only when the next block begins, so mispredictions
are sampled there.
"""

from __future__ import annotations

import errno
from typing import Final

from emu.cpu.board import Board
from emu.cpu.native.timing.record import COUNTERS
from emu.cpu.timing import CACHES
from emu.cpu.timing.core_timing import CoreTiming
from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.errors import ErrorReport, TraceError
from emu.ftrace.event.call import COMMON_SIZE, EventKind, Field
from emu.ftrace.event.catalogue import Catalogue
from emu.ftrace.event.source import EventSource
from emu.ftrace.native.trace_records import Event, Hardware
from emu.ftrace.native.trace_values import COUNTER_NAME_SIZE
from emu.ftrace.numbers import parse_c
from emu.native.records import Layouts, Shape

__all__ = ["SAMPLEABLE", "HardwareEvents"]

# The events that the models count one by one (`emu.cpu.native.timing.record.count`). The others are so frequent that the
# models add them up.
_OF_DATA: Final = frozenset(
    {
        "L1-dcache-load-misses", "L1-dcache-store-misses", "dTLB-load-misses", "prefetches", "coherence-transfers",
        "coherence-upgrades",
    }
)  # fmt: skip
SAMPLEABLE: Final = _OF_DATA | {
    "branch-misses", "conditional-misses", "return-misses", "indirect-misses", "btb-misses", "L1-icache-load-misses",
    "iTLB-load-misses", "l2-misses", "LLC-load-misses", "traps", "static-blocks",
}  # fmt: skip
"""The counters that can be sampled: those of data only if the board's model has data caches."""

_LONGEST_PERIOD = (1 << 63) - 1
_NAME, _PERIOD = COMMON_SIZE + 8, COMMON_SIZE + 8 + COUNTER_NAME_SIZE
_FIELDS = (
    Field("unsigned long", "ip", COMMON_SIZE, 8, False),
    Field(f"char[{COUNTER_NAME_SIZE}]", "event", _NAME, COUNTER_NAME_SIZE, True, 1),
    Field("u64", "period", _PERIOD, 8, False),
)
_PRINT_FMT = '"event=%s ip=%pS period=%llu", REC->event, (void *)REC->ip, REC->period'


class HardwareEvents(EventSource):
    """The sampling of a board whose timing model counts. Samples are taken while an array has the event enabled.

    Args:
        board: the board, with its CPUs.
        timing: the board's timing model.
        records: the records of all trace arrays.
        catalogue: all events; this event is added.
    """

    def __init__(self, board: Board, timing: CoreTiming, records: RecordLists, catalogue: Catalogue) -> None:
        super().__init__()
        self._board = board
        self._timing = timing
        self._catalogue = catalogue
        self._periods: dict[str, int] = {}
        self._sampleable = SAMPLEABLE if board.timing_model.timing == CACHES else SAMPLEABLE - _OF_DATA
        self._record = Hardware.allocate(Layouts({Hardware: Shape(counts={"told": len(board.cpus)})}))
        call = catalogue.define(
            "hardware", "sample", _FIELDS, _PRINT_FMT, _PERIOD + 8, EventKind.TRACEPOINT, self, at_once=False
        )
        self._record.event = Event(catalogue.record_address(call))
        for number, name in enumerate(COUNTERS):
            characters = self._record.names[number].characters
            for n, character in enumerate(name.encode()):
                characters[n] = character
        for array in records.arrays:
            array.hardware = self._record

    @property
    def text(self) -> str:
        """The text of hardware_events: a line for each sampled counter, with its period."""
        return "".join(f"{name} {period}\n" for name, period in self._periods.items())

    def clear(self) -> None:
        """Stops all sampling."""
        for name in list(self._periods):
            self._set(name, 0)

    def obey(self, command: str) -> None:
        """Obeys a line: `NAME:PERIOD` or `NAME PERIOD`; `!NAME`, `-:NAME` or a period of 0 stops sampling.

        Raises:
            TraceError: EINVAL; ENOENT if the counter is not sampled; ENODEV if it cannot be. error_log keeps each.
        """
        removed = command.startswith(("!", "-:"))
        definition = command.removeprefix("!").removeprefix("-:").strip()
        name, _, period = (word.strip() for word in definition.partition(":" if ":" in definition else " "))
        if name not in COUNTERS:
            why = TraceError(errno.EINVAL, f"there is no counter '{name}'", (name, COUNTERS))
            raise self._refusal(errno.EINVAL, "Unknown counter", why.why, command, name)
        if name not in self._sampleable:
            model = self._board.timing_model.timing
            reason = "it is only added up" if name not in SAMPLEABLE else f"the timing model '{model}' has no caches of data"
            why_not = f"'{name}' cannot be sampled: {reason}"
            raise self._refusal(errno.ENODEV, "Counter cannot be sampled", why_not, command, name)
        if removed:
            if name not in self._periods:
                raise self._refusal(errno.ENOENT, "Counter is not sampled", f"'{name}' is not sampled", command, name)
            self._set(name, 0)
            return
        value = parse_c(period, _LONGEST_PERIOD)
        if value is None:
            why_not = f"'{name}' needs a period: {name}:1000, at most {_LONGEST_PERIOD}"
            raise self._refusal(errno.EINVAL, "Invalid period", why_not, command, period)
        self._set(name, value)

    def _refusal(self, code: int, text: str, why: str, command: str, word: str) -> TraceError:
        place = command.find(word) if word else len(command)
        return TraceError(code, why, logged=ErrorReport("hardware_events", text, command, place))

    def _set(self, name: str, period: int) -> None:
        if period:
            self._periods[name] = period
        else:
            self._periods.pop(name, None)
        if self.in_use:
            self._sample(name, period)

    def _sample(self, name: str, period: int) -> None:
        """Starts to sample a counter; period 0 stops it."""
        number = COUNTERS.index(name)
        self._timing.sample(name, period)
        for index, timing in enumerate(self._timing.records):
            timing.sampled &= ~(1 << number)
            self._record.told[index].counts[number] = timing.counts[number]

    def start(self) -> None:
        from emu.ftrace.native import hardware  # imported when needed: it is compiled

        self._catalogue.use_made_events()
        self._board.record.sample = hardware.sample
        for name, period in self._periods.items():
            self._sample(name, period)

    def stop(self) -> None:
        for name in self._periods:
            self._sample(name, 0)
