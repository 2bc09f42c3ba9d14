# SPDX-License-Identifier: GPL-2.0-only
"""The destination of the trace: standard output, or a file that is written completely or not at all."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple, Protocol, Self

import click

from emu.cli.standard_streams import StandardOutput, complaining, write_all

__all__ = ["Output", "new_file", "open_output", "open_shown"]


class Output(Protocol):
    """The destination of one trace. It is opened before the machine boots, so that an error is reported before the run.

    Attributes:
        in_file: whether nobody sees the trace while it is being written.
    """

    in_file: bool

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None:
        """Closes the output. If nothing was written, an existing file is unchanged."""

    def write(self, trace: Callable[[], Iterable[bytes]]) -> None:
        """Writes a whole trace, once. `trace` returns its pieces; it is called again if writing must start again.

        Raises:
            click.ClickException: the output cannot be written.
        """


def open_output(path: Path | None) -> Output:
    """Opens the file at `path`, or standard output for None.

    Raises:
        click.ClickException: the file cannot be written.
    """
    if path is None:
        return StandardOutput()
    with complaining(path):
        replaced = _Replaced.at(path)
        return Device(path) if replaced is None else NewFile(replaced)


def open_shown(path: Path | None) -> Output:
    """The same, with a pager if standard output is a terminal."""
    if path is None and sys.stdout.isatty():
        from emu.cli.pager import Pager, pager_command

        if command := pager_command():
            return Pager(command)
    return open_output(path)


class Device:
    """A device or a pipe: the trace is written to it directly, since it cannot be replaced."""

    in_file = False

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("wb", buffering=0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, trace: Callable[[], Iterable[bytes]]) -> None:
        with suppress(BrokenPipeError):
            for piece in trace():
                with complaining(self._path):
                    write_all(self._file, piece)


class _Replaced(NamedTuple):
    """What a complete new file will replace: a regular file, or nothing."""

    path: Path
    mode: int | None  # its permissions; None if there is no file

    @classmethod
    def at(cls, path: Path) -> Self | None:
        """What is at a path; None: a device or a pipe, which cannot be replaced. Raises OSError: it must not be replaced."""
        try:
            mode = path.stat().st_mode
        except FileNotFoundError:
            return cls(path.resolve(), None)
        # /dev/stdout may be a regular file. The process that redirected it has that file open, not its name.
        if not stat.S_ISREG(mode) or path.absolute().is_relative_to("/dev"):
            return None
        with path.open("ab"):  # the directory's permissions do not say whether the file may be written
            return cls(path.resolve(), stat.S_IMODE(mode))

    @property
    def temporary(self) -> Path:
        """The path of the new file until it is complete."""
        return self.path.with_name(f".{self.path.name}.{os.getpid()}")

    def by(self, file: IO[bytes]) -> None:
        """Moves the new file from `temporary` to its place."""
        if self.mode is not None:
            os.fchmod(file.fileno(), self.mode)
        self.temporary.rename(self.path)


class NewFile:
    """A regular file. The trace is written to a file next to `path`, which is then renamed, with the old file's permissions."""

    in_file = True

    def __init__(self, replaced: _Replaced) -> None:
        self._replaced = replaced
        self._file = replaced.temporary.open("xb", buffering=0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._replaced.temporary.unlink(missing_ok=True)

    def write(self, trace: Callable[[], Iterable[bytes]]) -> None:
        for piece in trace():
            with complaining(self._replaced.path):
                write_all(self._file, piece)
        with complaining(self._replaced.path):
            self._replaced.by(self._file)


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """A seekable file. It gets the name `path` when it is complete: at the end of `with`, if no exception was raised.

    Raises:
        click.ClickException: the file cannot be written.
    """
    with complaining(path):
        replaced = _Replaced.at(path)
    if replaced is None:
        raise click.ClickException(f"cannot write {path}: it is no regular file")
    with complaining(path), replaced.temporary.open("xb") as file:
        try:
            yield file
            file.flush()
            replaced.by(file)
        finally:
            replaced.temporary.unlink(missing_ok=True)
