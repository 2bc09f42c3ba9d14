# SPDX-License-Identifier: GPL-2.0-only
"""Opens the trace in a file named on a command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from emu.trace import Trace

__all__ = ["opened_trace"]


@contextmanager
def opened_trace(file: Path, buffer: str | None = None, *, salvage: bool = False) -> Iterator[Trace]:
    """A context with the trace in a file, or with one of its buffers, checked before the body starts.

    Args:
        file: a trace.dat.
        buffer: the name of an instance; "" is the top array.
        salvage: leave out damaged parts.

    Raises:
        click.ClickException: the file cannot be read, is damaged, or does not have the buffer.
    """
    from emu.trace import Trace, TraceFileError

    try:
        try:
            trace = Trace.open(file, salvage=salvage)
        except OSError as error:
            raise click.ClickException(f"cannot read {file}: {error.strerror}") from None
        if buffer is not None:
            trace = _of_buffer(trace, buffer)
        trace.check()
        yield trace
    except TraceFileError as error:
        raise click.ClickException(f"{file}: {error}") from None


def _of_buffer(trace: Trace, name: str) -> Trace:
    try:
        return trace.buffer(name)
    except KeyError as error:
        raise click.ClickException(error.args[0]) from None
