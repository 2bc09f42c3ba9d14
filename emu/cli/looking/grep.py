# SPDX-License-Identifier: GPL-2.0-only
"""emu grep: prints the events of a trace whose text matches."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import click

from emu.cli.opened_trace import opened_trace
from emu.cli.report.filters import cpu_list, nanoseconds, wanted_events
from emu.cli.standard_streams import StandardOutput

__all__ = ["grep"]

_NONE = 1  # exit status: nothing matches
_SEPARATOR = b"--\n"

EXAMPLES = """\
\b
Examples:
  emu grep 'next_comm=ls' trace.dat
  emu grep -C 3 -e sched_switch sed
  emu grep -c vfs_read

\b
PATTERN is a regular expression of Python. The lines are those of `emu report`. Exit status: 0: something matches; 1: nothing
does; 2: PATTERN is wrong, or FILE cannot be read.
"""


@click.command(context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@click.option("-i", "ignore_case", is_flag=True, help="Ignore case.")
@click.option("-v", "inverted", is_flag=True, help="Show the events that do not match.")
@click.option("-c", "only_count", is_flag=True, help="Show only how many events match.")
@click.option("-A", "after", type=click.IntRange(0), default=0, metavar="N", help="Show N events after each.")
@click.option("-B", "before", type=click.IntRange(0), default=0, metavar="N", help="Show N events before each.")
@click.option("-C", "around", type=click.IntRange(0), default=0, metavar="N", help="Show N events before and after each.")
@click.option("-e", "events", multiple=True, metavar="SYSTEM:EVENT", help="Look only at these events.")
@click.option("--from", "start", metavar="SECONDS", help="Look from this time on.")
@click.option("--to", "end", metavar="SECONDS", help="Look up to this time.")
@click.option("-P", "--pid", "pids", type=int, multiple=True, metavar="PID", help="Only this task; may be repeated.")
@click.option("--cpu", "cpus", metavar="LIST", help="Only these CPUs: 0,2-3.")
@click.option("--instance", "buffer", metavar="NAME", help="The events of this instance; '' is the top array.")
@click.argument("pattern")
@click.argument("file", type=click.Path(path_type=Path), default="trace.dat")
def grep(
    ignore_case: bool,
    inverted: bool,
    only_count: bool,
    after: int,
    before: int,
    around: int,
    events: Sequence[str],
    start: str | None,
    end: str | None,
    pids: Sequence[int],
    cpus: str | None,
    buffer: str | None,
    pattern: str,
    file: Path,
) -> int:
    """Show the events of a trace whose text matches PATTERN."""
    from emu.trace.report import Report, ReportOptions

    try:
        wanted = re.compile(pattern.encode(), re.IGNORECASE if ignore_case else 0)
    except re.error as error:
        raise click.ClickException(f"'{pattern}' is no regular expression: {error}") from None
    with opened_trace(file, buffer) as trace:
        options = ReportOptions(
            events=wanted_events(trace, events),
            cpus=cpu_list(cpus),
            pids=tuple(pids) or None,
            start=nanoseconds(start),
            end=nanoseconds(end),
        )
        lines = _lines(Report(trace, options).pieces())
        next(lines, b"")  # the number of CPUs
        matches = 0

        def matching(line: bytes) -> bool:
            nonlocal matches
            found = (wanted.search(line) is not None) != inverted
            matches += found
            return found

        if only_count:
            for line in lines:
                matching(line)
            StandardOutput().write(lambda: [b"%d\n" % matches])
        else:
            StandardOutput().write(lambda: _with_context(lines, matching, before or around, after or around))
    return 0 if matches else _NONE


def _lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    rest = b""
    for piece in pieces:
        *whole, rest = (rest + piece).split(b"\n")
        for line in whole:
            yield line + b"\n"
    if rest:
        yield rest + b"\n"


def _with_context(lines: Iterable[bytes], matching: Callable[[bytes], bool], before: int, after: int) -> Iterator[bytes]:
    """The matching lines and those around them; a line of dashes marks omitted lines, as in grep."""
    earlier: deque[bytes] = deque(maxlen=before)
    left, skipped, shown = 0, False, False
    for line in lines:
        if matching(line):
            if skipped and shown and (before or after):
                yield _SEPARATOR
            yield from earlier
            earlier.clear()
            yield line
            left, skipped, shown = after, False, True
        elif left:
            yield line
            left -= 1
        else:
            skipped |= len(earlier) == before
            earlier.append(line)
