# SPDX-License-Identifier: GPL-2.0-only
"""Where the trace is written: standard output, or a file that is written completely or not at all."""

from __future__ import annotations

import os
import select
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, BinaryIO, NamedTuple, Protocol, Self, TextIO

import click

__all__ = [
    "Output", "StandardOutput", "give_up", "new_file", "open_output", "open_shown", "open_standard_streams", "write_all",
    "write_through",
]  # fmt: skip


class Output(Protocol):
    """Where one trace is written. It is opened before the machine boots, so that an error shows before the run.

    Attributes:
        in_file: nobody sees the trace while it is written.
    """

    in_file: bool

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None:
        """Closes the output. If nothing was written, a file stays as it was."""

    def write(self, trace: Callable[[], Iterable[bytes]]) -> None:
        """Writes a whole trace, once. `trace` gives its pieces; it is called again if they must be begun anew.

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
    with _complaining(path):
        replaced = _Replaced.at(path)
        return Device(path) if replaced is None else NewFile(replaced)


def open_shown(path: Path | None) -> Output:
    """The same, with a pager if standard output is a terminal."""
    if path is None and sys.stdout.isatty():
        from emu.cli.pager import Pager, pager_command

        if command := pager_command():
            return Pager(command)
    return open_output(path)


class StandardOutput:
    """Standard output, whatever it is connected to."""

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


class Device:
    """A device or a pipe: the trace is written into it, since it cannot be replaced."""

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
                with _complaining(self._path):
                    write_all(self._file, piece)


class _Replaced(NamedTuple):
    """What a new file takes the place of, when it is whole: a regular file, or nothing yet."""

    path: Path
    mode: int | None  # its permissions; None: there is none

    @classmethod
    def at(cls, path: Path) -> Self | None:
        """What stands at a path; None: a device or a pipe, which cannot be replaced. Raises OSError: it may not be replaced."""
        try:
            mode = path.stat().st_mode
        except FileNotFoundError:
            return cls(path.resolve(), None)
        # /dev/stdout may be a regular file; whoever redirected it holds that file, not its name.
        if not stat.S_ISREG(mode) or path.absolute().is_relative_to("/dev"):
            return None
        with path.open("ab"):  # the directory alone does not say whether the file may be replaced
            return cls(path.resolve(), stat.S_IMODE(mode))

    @property
    def temporary(self) -> Path:
        """Where the new file is until it is whole."""
        return self.path.with_name(f".{self.path.name}.{os.getpid()}")

    def by(self, file: IO[bytes]) -> None:
        """Puts the new file, which lies at `temporary`, in its place."""
        if self.mode is not None:
            os.fchmod(file.fileno(), self.mode)
        self.temporary.rename(self.path)


class NewFile:
    """A regular file. The trace is written beside `path` and then renamed to it, with the old file's permissions."""

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
            with _complaining(self._replaced.path):
                write_all(self._file, piece)
        with _complaining(self._replaced.path):
            self._replaced.by(self._file)


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """A file in which one can seek. It is named `path` when it is whole: at the end of `with`, if nothing was raised.

    Raises:
        click.ClickException: it cannot be written.
    """
    with _complaining(path):
        replaced = _Replaced.at(path)
    if replaced is None:
        raise click.ClickException(f"cannot write {path}: it is no regular file")
    with _complaining(path), replaced.temporary.open("xb") as file:
        try:
            yield file
            file.flush()
            replaced.by(file)
        finally:
            replaced.temporary.unlink(missing_ok=True)


@contextmanager
def _complaining(target: Path | str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise click.ClickException(f"cannot write {target}: {error.strerror}") from None


def open_standard_streams() -> None:
    """Opens /dev/null for each standard stream that was closed when the process started.

    Otherwise the next file that is opened would get the stream's number. Standard output is opened for reading, so that
    a write to it fails with an error; standard input is empty, and what goes to standard error is lost.
    """
    for name, mode, flags in (("stdin", "r", os.O_RDONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY)):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), mode))


def write_through(stream: TextIO, data: bytes) -> None:
    """Writes to standard output or standard error, past their buffers: with PYTHONUNBUFFERED these drop what does not fit.

    Raises:
        click.ClickException: the stream cannot be written.
        BrokenPipeError: the stream is a pipe that nobody reads.
    """
    try:
        with _complaining("standard error" if stream is sys.stderr else "standard output"):
            stream.flush()
            write_all(getattr(stream.buffer, "raw", stream.buffer), data)
    except click.ClickException:
        give_up(stream)
        raise


def give_up(stream: TextIO) -> None:
    """Points the stream to /dev/null, so that Python does not flush the rest of its buffer at exit.

    The stream's reader (`head`, say) has closed the pipe, or the disk is full.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def write_all(file: IO[bytes], data: bytes) -> None:
    """Writes all of the data to a file without a buffer, and waits where a pipe that does not block is full."""
    rest = memoryview(data)
    while rest:
        written: int | None = file.write(rest)
        if written is None:
            select.select([], [file], [])
        else:
            rest = rest[written:]
