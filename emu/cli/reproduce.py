# SPDX-License-Identifier: GPL-2.0-only
"""emu reproduce: records a trace again, and compares the two files."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from emu.cli.opened_trace import opened_trace
from emu.cli.recorded_run import origin_of_file

if TYPE_CHECKING:
    from emu.trace.origin import Origin

__all__ = ["reproduce"]

_DIFFERENT = 1  # exit status
_PIECE = 1 << 20  # bytes


@click.command(context_settings={"max_content_width": 120})
@click.option(
    "-o", "output", metavar="NEW", type=click.Path(path_type=Path), help="Keep the new recording. Default: it is removed."
)
@click.argument("file", type=click.Path(path_type=Path))
def reproduce(output: Path | None, file: Path) -> int:
    """Record FILE, a trace.dat of emu, again, and report whether the new file is the same, byte for byte.

    Exit status: 0: it is; 1: it differs, or the command ended in another way; 2: FILE cannot be read, or was not recorded by emu.
    """
    origin = _origin(file)
    with tempfile.TemporaryDirectory(prefix="emu-") as folder:
        again = output or Path(folder) / "trace.dat"
        _record(origin, again)
        place = _first_difference(file, again)
        if place is None:
            click.echo(f"{file}: the same, {file.stat().st_size} bytes")
            return 0
        changed = ", ".join(origin.changes(_origin(again)))
        click.echo(f"{file}: differs from byte {place} on{f': other {changed}' if changed else ''}")
    return _DIFFERENT


def _origin(file: Path) -> Origin:
    with opened_trace(file) as trace:
        return origin_of_file(trace, file)


def _record(origin: Origin, path: Path) -> None:
    """Runs the command line again. Its exit status is ignored here: it is that of the original run."""
    from emu.cli.record import record

    words = [*origin.words]
    place = words.index("--") if "--" in words else 0
    record.main([*words[:place], "-o", str(path), *words[place:]], prog_name="emu record", standalone_mode=False)


def _first_difference(one: Path, other: Path) -> int | None:
    """The offset of the first difference between two files; None if there is none."""
    place = 0
    with one.open("rb") as first, other.open("rb") as second:
        while True:
            a, b = first.read(_PIECE), second.read(_PIECE)
            if a != b:
                same = next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
                return place + same
            if not a:
                return None
            place += len(a)

