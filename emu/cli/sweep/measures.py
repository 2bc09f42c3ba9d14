# SPDX-License-Identifier: GPL-2.0-only
"""What a run of a sweep measures: counts, latencies, histograms, times of functions, and what the command prints.

| text | columns |
|---|---|
| `counts` | each event that `emu stat` shows, of all CPUs, and duration_time in nanoseconds |
| `EVENT` | an event of `emu stat` |
| `latency` | tracing_max_latency, in microseconds |
| `events` | events: how many were recorded; lost: how many of these are no longer in the buffers |
| `top:FUNCTION` | FUNCTION:calls, :self, :total and :max, in nanoseconds, of each function that the glob matches |
| `hist:SYSTEM:EVENT` | EVENT{KEY}:VALUE of each entry, and EVENT:Hits, EVENT:Entries, EVENT:Dropped |
| `file:PATH` | PATH: the first number in this file of tracefs, or its text |
| `output` | output: what the command has printed |
| `output:NAME=REGEX` | NAME: the first group of the first match in it |
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import click

from emu.campaign.unit import Measures, Scalar
from emu.cli.record import MEASURING
from emu.cli.stat import events as of_stat
from emu.cli.stat.results import DURATION
from emu.ftrace.errors import TraceError, did_you_mean

if TYPE_CHECKING:
    from emu.cli.traced_machine import AnyMachine
    from emu.kernel.counting import Counting
    from emu.trace import Trace
    from emu.trace.disk_recording import DiskRecording

__all__ = ["COUNTS", "LATENCY", "Measuring", "check", "columns_of"]

COUNTS, LATENCY = "counts", "latency"
_ALONE = (COUNTS, LATENCY, "events", "output")
_WITH_TEXT = ("top", "hist", "file", "output")
_OF_FUNCTIONS = ("function", "function_graph")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_ENTRY = re.compile(r"^\{ (.*?)\s*\} ((?:\S+: *\S+ *)+)$", re.MULTILINE | re.DOTALL)
_TOTAL = re.compile(r"^    (Hits|Entries|Dropped): (\d+)$", re.MULTILINE)
_VALUE = re.compile(r"(\S+): +(\S+)")


def check(text: str) -> None:
    """Raises click.UsageError if a text is no measure."""
    kind, colon, rest = text.partition(":")
    if text in _ALONE:
        return
    if not colon:
        of_stat.chosen([text], "-m")
    elif kind not in _WITH_TEXT or not rest:
        raise click.UsageError(f"-m {text}: there is no such measure{did_you_mean(kind, (*_ALONE, *_WITH_TEXT))}")
    elif kind == "output":
        _name_and_pattern(rest)
    elif kind == "hist" and not re.fullmatch(r"\w+[:/]\w+", rest):
        raise click.UsageError(f"-m {text}: hist:SYSTEM:EVENT is needed")


def columns_of(text: str) -> list[str] | None:
    """The columns of a measure, which `check` has accepted; None: they depend on the run."""
    kind, colon, rest = text.partition(":")
    if kind in ("top", "hist") and colon:
        return None
    if kind == "output" and colon:
        return [_name_and_pattern(rest)[0]]
    if kind == "file" and colon:
        return [rest]
    if text == COUNTS:
        return [DURATION, *of_stat.SHOWN]
    return ["events", "lost"] if text == "events" else [text] if text in _ALONE else of_stat.chosen([text], "-m")


def _name_and_pattern(text: str) -> tuple[str, re.Pattern[str]]:
    name, equals, pattern = text.partition("=")
    if not (name and equals):
        raise click.UsageError(f"-m output:{text}: output:NAME=REGEX is needed")
    try:
        found = re.compile(pattern, re.MULTILINE)
    except re.error as error:
        raise click.UsageError(f"-m output:{text}: {error}") from None
    if not found.groups:
        raise click.UsageError(f"-m output:{text}: the expression needs a group, as in 'real (.*)'")
    return name, found


class Measuring:
    """Measures what a machine does while the body runs.

    Args:
        machine: the machine, whose tracing is set up.
        texts: what is measured, as `check` takes it.
    """

    def __init__(self, machine: AnyMachine, texts: Sequence[str]) -> None:
        self._machine = machine
        self._texts = texts
        self._opened = ExitStack()
        self._counting: Counting
        self._recording: DiskRecording | None = None
        self._folder = Path()

    def __enter__(self) -> Measuring:
        if any(text.startswith("top:") for text in self._texts):
            from emu.trace.disk_recording import DiskRecording

            self._folder = Path(self._opened.enter_context(tempfile.TemporaryDirectory(prefix="emu-sweep-")))
            self._recording = self._opened.enter_context(DiskRecording(self._machine, self._folder))
            self._recording.begin()
        self._counting = self._machine.counting().__enter__()
        return self

    def end(self) -> None:
        """Ends counting and recording. The machine stands still."""
        self._counting.__exit__(None, None, None)
        if self._recording is not None:
            self._recording.end()

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def values(self, output: bytes) -> dict[str, Scalar]:
        """What was measured, by column.

        Args:
            output: what the command has printed.

        Raises:
            ValueError: something cannot be measured. The text says why.
        """
        found: dict[str, Scalar] = {}
        for text in self._texts:
            kind, colon, rest = text.partition(":")
            if not colon and text not in _ALONE:
                found |= self._event(text)
            elif text == "output":
                found[text] = output.decode(errors="replace")
            else:
                found |= self._MEASURES[kind](self, rest, output)
        return found

    def _counts(self, rest: str, output: bytes) -> Measures:
        counted = self._counting.events
        return self._event(DURATION) | {event: self._counting[event] for event in of_stat.SHOWN if event in counted}

    def _event(self, text: str) -> dict[str, Scalar]:
        (event,) = of_stat.chosen([text], "-m")
        if event == DURATION:
            return {event: self._counting.nanoseconds}
        if event not in self._counting.events:
            raise ValueError(f"the timing model {self._machine.board.timing_model.timing} does not count {event}")
        return {event: self._counting[event]}

    def _latency(self, rest: str, output: bytes) -> Measures:
        if (tracer := self._text("current_tracer").strip()) not in MEASURING:
            raise ValueError(f"{LATENCY}: the tracer {tracer} measures none; p={', '.join(MEASURING)} do")
        return {LATENCY: self._read("tracing_max_latency")}

    def _events(self, rest: str, output: bytes) -> Measures:
        if self._recording is not None:  # it has taken them out of the buffers
            return {"events": len(self._trace), "lost": 0}
        summary = self._machine.trace_array.summary()
        return {"events": summary.events, "lost": summary.lost}

    def _top(self, pattern: str, output: bytes) -> Measures:
        from emu.trace.function_times import function_times

        if (tracer := self._text("current_tracer").strip()) not in _OF_FUNCTIONS:
            raise ValueError(f"top: the tracer {tracer} records no calls; p={' and p='.join(_OF_FUNCTIONS)} do")
        times = [one for one in function_times(self._trace) if fnmatchcase(one.function, pattern)]
        found: dict[str, Scalar] = {}
        for one in sorted(times, key=lambda one: one.function):
            values = {"calls": one.calls, "self": one.self_time, "total": one.total, "max": one.maximum}
            found |= {f"{one.function}:{name}": value for name, value in values.items() if value is not None}
        return found

    @cached_property
    def _trace(self) -> Trace:
        """What was recorded."""
        from emu.trace import Trace

        assert self._recording is not None
        path = self._folder / "trace.dat"
        with path.open("wb") as file:
            self._recording.write(file)
        return Trace.open(path)

    def _hist(self, rest: str, output: bytes) -> Measures:
        system, event = re.split("[:/]", rest)
        text = self._text(f"events/{system}/{event}/hist")
        if not _TOTAL.search(text):
            raise ValueError(f"hist: {system}:{event} has no histogram; e={system}:{event} and R=hist:keys=... set one")
        found: dict[str, Scalar] = {}
        for entry in _ENTRY.finditer(text):
            key = " ".join(entry[1].split())
            found |= {f"{event}{{{key}}}:{name}": _number(value) for name, value in _VALUE.findall(entry[2])}
        return found | {f"{event}:{name}": int(value) for name, value in _TOTAL.findall(text)}

    def _file(self, path: str, output: bytes) -> Measures:
        return {path: self._read(path)}

    def _of_output(self, text: str, output: bytes) -> Measures:
        name, pattern = _name_and_pattern(text)
        found = pattern.search(output.decode(errors="replace"))
        return {name: None if found is None or found[1] is None else _number(found[1])}

    def _read(self, path: str) -> Scalar:
        text = self._text(path)
        found = _NUMBER.search(text)
        return _number(found[0]) if found else text.strip()

    def _text(self, path: str) -> str:
        try:
            return self._machine.tracefs.read(path)
        except TraceError as error:
            raise ValueError(f"{path}: {error.why or error.strerror}") from None

    _MEASURES: ClassVar[Mapping[str, Callable[[Measuring, str, bytes], Measures]]] = {
        COUNTS: _counts, LATENCY: _latency, "events": _events, "top": _top, "hist": _hist, "file": _file, "output": _of_output,
    }  # fmt: skip


def _number(text: str) -> Scalar:
    """A number, if the text is one."""
    text = text.strip()
    if re.fullmatch(r"-?\d{1,18}", text):
        return int(text)
    return float(text) if re.fullmatch(r"-?\d{1,18}\.\d{1,18}", text) else text
