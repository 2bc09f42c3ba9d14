# SPDX-License-Identifier: GPL-2.0-only
"""What these commands have in common: what they choose from a trace, and how the result is shown."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from emu.cli.output import StandardOutput

if TYPE_CHECKING:
    from rich.console import RenderableType

    from emu.trace import Trace

__all__ = ["chosen_options", "show", "show_json", "write_object"]

_Command = TypeVar("_Command", bound=Callable[..., Any])
_PIPED_WIDTH = 10_000  # columns: nothing is cut off where nobody looks
_OPTIONS = (
    click.option("-P", "--pid", "pids", type=int, multiple=True, metavar="PID", help="Only this task; may be repeated."),
    click.option("--cpu", "cpus", metavar="LIST", help="Only these CPUs: 0,2-3."),
    click.option("-B", "buffer", metavar="NAME", help="The events of this instance; '' is the top array."),
    click.argument("file", type=click.Path(path_type=Path), default="trace.dat"),
)


def chosen_options(command: _Command) -> _Command:
    """Gives a command the options that choose from a trace."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def show(what: RenderableType) -> None:
    """Prints it; in colours and as wide as the window on a terminal, plain and whole elsewhere."""
    from rich.console import Console

    on_terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if on_terminal else _PIPED_WIDTH
    console = Console(width=width, force_terminal=on_terminal, highlight=False, emoji=False, markup=False)
    with console.capture() as capture:
        console.print(what)
    lines = [line.rstrip() for line in capture.get().splitlines()]
    _write("\n".join([*lines, ""]))


def show_json(trace: Trace, **content: Any) -> None:
    """Prints an object, with what makes the trace again if that is known."""
    from emu.trace.origin import origin_of

    write_object({"origin": origin_of(trace), **content})


def write_object(content: Mapping[str, Any]) -> None:
    """Prints an object as JSON."""
    _write(json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def _write(text: str) -> None:
    StandardOutput().write(lambda: [text.encode(errors="surrogateescape")])
