# SPDX-License-Identifier: GPL-2.0-only
"""The destination of the trace: standard output, or a file that is written completely or not at all."""

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
                with _complaining(self._path):
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
            with _complaining(self._replaced.path):
                write_all(self._file, piece)
        with _complaining(self._replaced.path):
            self._replaced.by(self._file)


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """A seekable file. It gets the name `path` when it is complete: at the end of `with`, if no exception was raised.

    Raises:
        click.ClickException: the file cannot be written.
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
        with _complaining("standard error" if stream is sys.stderr else "standard output"):
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
