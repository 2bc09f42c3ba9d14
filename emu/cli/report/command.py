# SPDX-License-Identifier: GPL-2.0-only
"""The command `emu report`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from emu.cli.exit_status import BAD_INPUT
from emu.cli.opened_trace import opened_trace
from emu.cli.output import open_shown
from emu.cli.report.filters import cpu_list, nanoseconds, wanted_events

__all__ = ["report"]

EXAMPLES = """\
\b
Examples:
  emu report trace.dat
  emu report -e sched:sched_switch --cpu 0,2-3 -P 57 trace.dat
  emu report --from 114.613 --to 114.62 -t trace.dat
  emu report --format trace trace.dat

\b
FILE is a trace.dat of version 6 or 7: trace-cmd's, from any Linux, or one of emu's. The text is that of `trace-cmd report`;
with --format trace it is that of the file `trace` in tracefs.

\b
Exit status: 0; 2: an option is wrong, or FILE cannot be read or is damaged. --salvage shows what is intact of a damaged
FILE, says on standard error what is wrong, and its status is 2, too.
"""


@click.command(context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@click.option("--format", "format_", type=click.Choice(["report", "trace"]), default="report", help="Format of the text.")
@click.option("-R", "raw", is_flag=True, help="Show the fields of events, not what their print fmt makes of them.")
@click.option("-t", "full_times", is_flag=True, help="Show nanoseconds.")
@click.option("-e", "events", multiple=True, metavar="SYSTEM:EVENT", help="Only these events; SYSTEM, EVENT or a GLOB will do.")
@click.option("--cpu", "cpus", metavar="LIST", help="Only these CPUs: 0,2-3.")
@click.option("-P", "--pid", "pids", type=int, multiple=True, metavar="PID", help="Only events of this task; may be repeated.")
@click.option("--from", "start", metavar="SECONDS", help="Only events from this time on, as the report shows it.")
@click.option("--to", "end", metavar="SECONDS", help="Only events up to this time.")
@click.option("-B", "buffer", metavar="NAME", help="Only events of this instance; '' is the top array.")
@click.option("--salvage", is_flag=True, help="Show the intact part of a damaged FILE.")
@click.option(
    "-o", "output", type=click.Path(path_type=Path), metavar="FILE", help="Write the text to FILE instead of standard output."
)
@click.argument("file", type=click.Path(path_type=Path))
def report(
    format_: str,
    raw: bool,
    full_times: bool,
    events: tuple[str, ...],
    cpus: str | None,
    pids: tuple[int, ...],
    start: str | None,
    end: str | None,
    buffer: str | None,
    salvage: bool,
    output: Path | None,
    file: Path,
) -> int:
    """Show the events of a trace.dat as text."""
    from emu.trace.report import Report, ReportOptions

    if format_ == "trace" and (raw or full_times):
        raise click.ClickException("-R and -t do not go with --format trace")
    with opened_trace(file, buffer, salvage=salvage) as trace:
        options = ReportOptions(
            raw=raw,
            full_times=full_times,
            events=wanted_events(trace, events),
            cpus=cpu_list(cpus),
            pids=pids or None,
            start=nanoseconds(start),
            end=nanoseconds(end),
        )
        if format_ == "trace":
            from emu.trace.trace_text import trace_text  # it needs much more than the report

            pieces = trace_text(trace, options)
        else:
            pieces = Report(trace, options).pieces()
        first = next(pieces, b"")  # errors in the file have been raised by now
        with open_shown(output) as shown:
            shown.write(lambda: _all(first, pieces))
    for problem in trace.damage:
        click.echo(f"emu: {file}: {problem}", err=True)
    return BAD_INPUT if trace.damage else 0


def _all(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest
