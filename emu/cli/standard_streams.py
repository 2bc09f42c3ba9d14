# SPDX-License-Identifier: GPL-2.0-only
"""Standard input, output and error: what is written to them arrives whole, or a message says why not."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Self, TextIO

import click

__all__ = ["StandardOutput", "complaining", "give_up", "open_standard_streams", "write_all", "write_through"]


class StandardOutput:
    """Standard output, wherever it goes."""

    in_file = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def write(self, trace: Callable[[], Iterable[bytes]]) -> None:
        try:
            for piece in trace():
                write_through(sys.stdout, piece)
        except BrokenPipeError:
            give_up(sys.stdout)


def open_standard_streams() -> None:
    """Opens /dev/null for each standard stream that was closed at the start of the process.

    Otherwise the next opened file would get the stream's number. Standard output is opened for reading, so that
    writing to it fails with an error; standard input is empty, and data written to standard error is lost.
    """
    for name, mode, flags in (("stdin", "r", os.O_RDONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY)):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), mode))


def write_through(stream: TextIO, data: bytes) -> None:
    """Writes to standard output or standard error, bypassing their buffers: with PYTHONUNBUFFERED these drop data that does not
    fit.

    Raises:
        click.ClickException: the stream cannot be written.
        BrokenPipeError: the stream is a closed pipe.
    """
    try:
        with complaining("standard error" if stream is sys.stderr else "standard output"):
            stream.flush()
            write_all(getattr(stream.buffer, "raw", stream.buffer), data)
    except click.ClickException:
        give_up(stream)
        raise


def give_up(stream: TextIO) -> None:
    """Redirects the stream to /dev/null, so that Python does not flush the rest of its buffer at exit.

    The stream's reader (such as `head`) has closed the pipe, or the disk is full.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def write_all(file: IO[bytes], data: bytes) -> None:
    """Writes all of the data to an unbuffered file. Waits while a non-blocking pipe is full."""
    rest = memoryview(data)
    while rest:
        written: int | None = file.write(rest)
        if written is None:
            select.select([], [file], [])
        else:
            rest = rest[written:]


@contextmanager
def complaining(target: Path | str) -> Iterator[None]:
    """Turns an OSError into a message about what cannot be written. BrokenPipeError goes through."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise click.ClickException(f"cannot write {target}: {error.strerror}") from None
