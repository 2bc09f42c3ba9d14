# SPDX-License-Identifier: GPL-2.0-only
"""The run that a trace.dat was recorded from: its command line, and the instant of one of its events."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from emu.cli.linux.options import LinuxOptions
from emu.cli.opened_trace import opened_trace
from emu.cli.trace_options import ArrayOptions, trace_options_of
from emu.cli.traced_machine import OF_LINUX

if TYPE_CHECKING:
    from emu.history.reaching import EventPlace
    from emu.trace import Trace
    from emu.trace.origin import Origin

__all__ = ["RecordedEvent", "Run", "TraceTime", "origin_of_file", "recorded_event", "recorded_run"]

_OWN_OPTIONS = "output", "compress", "v6"  # of emu record, that say nothing about the run
_UNITS = {"": 9, "s": 9, "ms": 6, "us": 3, "ns": 0}  # decimal digits of a nanosecond


class TraceTime(NamedTuple):
    """A time as a trace shows it.

    Attributes:
        nanoseconds: the time.
        unit: nanoseconds of its last digit. Traces round times to it, or leave the rest out.
    """

    nanoseconds: int
    unit: int

    @classmethod
    def parse(cls, text: str) -> TraceTime:
        """Parses `0.014349`, in seconds, or `14.349ms`.

        Raises:
            ValueError: it is no time.
        """
        found = re.fullmatch(r"(\d{1,10})(?:\.(\d{1,9}))?(s|ms|us|ns)?", text)
        digits = (found[2] or "") if found else ""
        room = _UNITS[found[3] or ""] - len(digits) if found else -1
        if found is None or room < 0:
            raise ValueError(f"'{text}' is no time: 0.014349, 14.349ms")
        return cls(int(found[1] + digits) * 10**room, 10**room)


class Run(NamedTuple):
    """What makes a run, as the command line says it.

    Attributes:
        arguments: those of `machine_options`.
        on_linux: what is said of a Linux guest; None: it is emu's own kernel.
        arrays: what is traced.
        command: the guest's command.
        follow: whether only the command and its children are traced.
    """

    arguments: dict[str, object]
    on_linux: LinuxOptions | None
    arrays: Sequence[ArrayOptions]
    command: Sequence[str]
    follow: bool


def recorded_run(origin: Origin) -> Run:
    """The run of a recording.

    Raises:
        click.ClickException: the recorded command line is none of this emu.
    """
    from emu.cli.record import record

    context = record.make_context("emu record", [*origin.words])
    arguments: dict[str, object] = dict(context.params)
    follow, command = bool(arguments.pop("follow")), arguments.pop("command")
    assert isinstance(command, tuple)
    for name in _OWN_OPTIONS:
        arguments.pop(name)
    on_linux = LinuxOptions.taken_from(arguments, context, (*OF_LINUX, "-B", "--compress", "--v6"))
    return Run(arguments, on_linux, trace_options_of(context), command, follow)


def origin_of_file(trace: Trace, file: Path) -> Origin:
    """What a trace.dat says of its recording.

    Raises:
        click.ClickException: emu did not record it.
    """
    from emu.trace.dat.options import OptionNumber
    from emu.trace.origin import Origin

    content = trace.recording.option(OptionNumber.ORIGIN)
    if content is None:
        raise click.ClickException(f"{file}: emu did not record it, or not from a command line")
    try:
        return Origin.decode(content)
    except ValueError as error:
        raise click.ClickException(f"{file}: {error}") from None


class RecordedEvent(NamedTuple):
    """An event of a trace.dat.

    Attributes:
        origin: of the file.
        place: where it is.
        text: its line of the report.
    """

    origin: Origin
    place: EventPlace
    text: str


def recorded_event(file: Path, time: TraceTime) -> RecordedEvent:
    """The first event that a trace shows with a time.

    Raises:
        click.ClickException: the file cannot be read, was not recorded by emu, or has no such event.
    """
    from emu.ftrace.buffers.clock_names import counts_nanoseconds
    from emu.history.reaching import EventPlace
    from emu.trace.report import Report, ReportOptions

    with opened_trace(file) as trace:
        origin = origin_of_file(trace, file)
        found: tuple[int, int, str] | None = None
        for buffer in trace.buffers:
            if not counts_nanoseconds(buffer.clock):
                continue
            times = buffer.columns.time.astype("i8")
            shown = times // time.unit, (times + time.unit // 2) // time.unit
            (rows,) = ((shown[0] == time.nanoseconds // time.unit) | (shown[1] == time.nanoseconds // time.unit)).nonzero()
            if len(rows) and (found is None or int(times[rows[0]]) < found[0]):
                found = int(times[rows[0]]), int(buffer.columns.cpu[rows[0]]), buffer.name
        if found is None:
            raise click.ClickException(f"{file}: it has no event at {time.nanoseconds / 10**9:.9f} s{_range(trace)}")
        when, cpu, name = found
        options = ReportOptions(full_times=True, cpus=[cpu], start=when, end=when)
        lines = b"".join(Report(trace.buffer(name), options).pieces()).decode(errors="replace").splitlines()
        text = next((line for line in lines if f"[{cpu:03}]" in line), None)
        if text is None:  # a call's end may be in the line of its beginning
            events = trace.buffer(name).events.items()
            kind = next(path for path, table in events if ((table["time"] == when) & (table["cpu"] == cpu)).any())
            text = f"[{cpu:03}] {when / 10**9:.9f}: {kind.split(':')[-1]}"
    return RecordedEvent(origin, EventPlace(when, cpu, name), text.strip())


def _range(trace: Trace) -> str:
    """Of an error: which times there are."""
    times = [buffer.columns.time for buffer in trace.buffers if len(buffer)]
    if not times:
        return ": it has none"
    first, last = min(int(one[0]) for one in times), max(int(one[-1]) for one in times)
    return f": there are events from {first / 10**9:.6f} to {last / 10**9:.6f}"
