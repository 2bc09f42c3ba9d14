# SPDX-License-Identifier: GPL-2.0-only
"""What these commands have in common: options that select from a trace, and the output of results."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from emu.cli.standard_streams import StandardOutput
from emu.cli.table import Column, fitted, width_of

if TYPE_CHECKING:
    from emu.trace import Trace

__all__ = ["chosen_options", "show", "show_json", "show_table", "write_object"]

_Command = TypeVar("_Command", bound=Callable[..., object])
_OPTIONS = (
    click.option("-P", "--pid", "pids", type=int, multiple=True, metavar="PID", help="Only this task; may be repeated."),
    click.option("--cpu", "cpus", metavar="LIST", help="Only these CPUs: 0,2-3."),
    click.option("-B", "buffer", metavar="NAME", help="The events of this instance; '' is the top array."),
    click.argument("file", type=click.Path(path_type=Path), default="trace.dat"),
)


def chosen_options(command: _Command) -> _Command:
    """Gives a command the options that select from a trace."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def show(lines: Iterable[str]) -> None:
    """Prints lines, without their colours if standard output is not a terminal."""
    text = "".join(f"{line}\n" for line in lines)
    _write(text if sys.stdout.isatty() else click.unstyle(text))


def show_table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """Prints a table that is at most as wide as standard output."""
    table = fitted(columns, rows, width_of(sys.stdout))
    show([*(click.style(line, bold=True) for line in table.head), *table.body])


def show_json(trace: Trace, **content: object) -> None:
    """Prints an object, with the origin of the trace, if that is known."""
    from emu.trace.origin import origin_of

    write_object({"origin": origin_of(trace), **content})


def write_object(content: Mapping[str, object]) -> None:
    """Prints an object as JSON."""
    _write(json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def _write(text: str) -> None:
    StandardOutput().write(lambda: [text.encode(errors="surrogateescape")])
