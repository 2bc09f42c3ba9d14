# SPDX-License-Identifier: GPL-2.0-only
"""emu convert: converts a trace.dat to formats of other tools."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from emu.cli.opened_trace import opened_trace
from emu.cli.output import open_output
from emu.cli.report.filters import cpu_list, nanoseconds, wanted_events

__all__ = ["convert"]

_STANDARD_OUTPUT = Path("-")

EXAMPLES = """\
\b
Examples:
  emu convert trace.dat -o trace.pftrace
  emu convert -P 57 trace.dat -o ls.svg
  emu convert --to folded trace.dat | sort -k 2 -n
  emu record -e sched_switch -R stacktrace -- 'ls | wc -l'; emu convert --off-cpu trace.dat -o off.svg
  emu convert --table sched:sched_switch trace.dat -o switches.parquet

\b
Formats, by the end of OUT's name or --to:
  pftrace            Perfetto (ui.perfetto.dev): every event; calls of functions are slices
  json               Chrome's trace event format: chrome://tracing, Perfetto
  speedscope.json    speedscope: calls, task by task
  folded             stacks with the time of each, for flamegraph.pl and others
  svg                a flame graph, which says what it sums up; a click zooms, / searches
  html               a timeline of CPUs and tasks in one file, with zoom, search, totals and flame graphs
  csv, parquet       a row for each event; parquet needs pyarrow

\b
FILE is a trace.dat of emu or trace-cmd. Times are nanoseconds, in json microseconds. What the format cannot hold is said
on standard error. Exit status: 0; 2: an option is wrong, FILE cannot be read, or it has nothing that the format is for.
"""


@click.command(context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@click.option(
    "-o", "output", type=click.Path(path_type=Path), default=_STANDARD_OUTPUT, metavar="OUT",
    help="Write to OUT. Default: -, standard output.",
)  # fmt: skip
@click.option("--to", "to", metavar="FORMAT", help="Convert to FORMAT, whatever OUT's name says.")
@click.option("-e", "events", multiple=True, metavar="SYSTEM:EVENT", help="Only these events; SYSTEM, EVENT or a GLOB will do.")
@click.option("--cpu", "cpus", metavar="LIST", help="Only these CPUs: 0,2-3.")
@click.option("-P", "--pid", "pids", type=int, multiple=True, metavar="PID", help="Only this task; may be repeated.")
@click.option("--from", "start", metavar="SECONDS", help="Only what began at this time or later.")
@click.option("--until", "end", metavar="SECONDS", help="Only what began at this time or earlier.")
@click.option("-B", "buffer", metavar="NAME", help="The events of this instance; '' is the top array.")
@click.option("--by", type=click.Choice(["task", "cpu", "function"]), help="svg, folded: the root of stacks. Default: task.")
@click.option(
    "--off-cpu", is_flag=True, help="svg, folded: time off the CPU, by the stacks of sched_switch. Default: on it, by calls."
)
@click.option("--table", metavar="NAME", help="csv, parquet: the rows of this table, with all columns: calls, or an event.")
@click.option("--title", metavar="TEXT", help="svg, html, speedscope.json: the title.")
@click.argument("file", type=click.Path(path_type=Path))
def convert(
    output: Path,
    to: str | None,
    events: Sequence[str],
    cpus: str | None,
    pids: Sequence[int],
    start: str | None,
    end: str | None,
    buffer: str | None,
    by: str | None,
    off_cpu: bool,
    table: str | None,
    title: str | None,
    file: Path,
) -> int:
    """Write a trace.dat in a format of another tool."""
    from emu.trace.convert import FORMATS, CannotConvert, ConvertOptions
    from emu.trace.data_frames import MissingLibrary
    from emu.trace.selection import Selection

    name = _format(output, to)
    format_ = FORMATS[name]
    given = {"by": by, "off_cpu": off_cpu, "table": table, "title": title}
    own = {option: value for option, value in given.items() if value not in (None, False)}
    for option in own.keys() - format_.options:
        raise click.ClickException(f"--{option.replace('_', '-')} does not go with {name}")
    if output == _STANDARD_OUTPUT and not format_.is_text and sys.stdout.isatty():
        raise click.ClickException(f"{name} is not for a terminal: -o names a file")
    with opened_trace(file, buffer) as trace:
        selection = Selection(wanted_events(trace, events), cpu_list(cpus), pids, nanoseconds(start), nanoseconds(end))
        options = ConvertOptions(selection, **own)  # type: ignore[arg-type]  # click has checked `by`
        try:
            with open_output(None if output == _STANDARD_OUTPUT else output) as out:
                out.write(lambda: format_.pieces(trace, options))
        except (CannotConvert, MissingLibrary) as error:
            raise click.ClickException(f"{file}: {error}" if isinstance(error, CannotConvert) else str(error)) from None
    for note in options.notes:
        click.echo(f"emu: {file}: {note}", err=True)
    return 0


def _format(output: Path, to: str | None) -> str:
    """The name of the requested format."""
    from emu.trace.convert import FORMATS, format_of

    there_are = ", ".join(FORMATS)
    if to is not None:
        if to not in FORMATS:
            raise click.ClickException(f"no format is called '{to}'; there are {there_are}")
        return to
    if output == _STANDARD_OUTPUT:
        raise click.ClickException(f"--to, or the name after -o, says the format: {there_are}")
    found = format_of(output)
    if found is None:
        raise click.ClickException(f"the name {output} ends like no format; there are {there_are}")
    return found
