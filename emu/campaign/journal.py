# SPDX-License-Identifier: GPL-2.0-only
"""The journal of a campaign: an append-only file with a line for each unit that was done.

    73d2b0a4 {"emu campaign": 1, "build": {"emu": "9f0c2d...", ...}, "modules": {}}
    0e4f7c1b {"key": "4be1...", "cpu": 0.41, "parameters": {"seed": 0, ...}, "measures": {"cycles": 860509, ...}}
    b5a09c33 {"key": "a07d...", "cpu": 0.02, "failed": "the worker died in it"}

A line begins with the CRC-32 of its text. A line that was not written to its end is the last, and is dropped when the campaign
goes on. `cpu` is the processor time in seconds, which no table shows.
"""

from __future__ import annotations

import fcntl
import io
import json
import os
import stat
import zlib
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from emu.campaign.build import other_part
from emu.campaign.unit import Measures, Scalar, Unit

__all__ = ["BadJournal", "Entry", "Journal"]

_FORMAT = "emu campaign"
_VERSION = 1
_CHECKSUM = 8  # hexadecimal digits


class BadJournal(ValueError):
    """A file is no journal, is damaged, or is of another build of emu. The text names the file."""


class Entry(NamedTuple):
    """What a unit's line says."""

    parameters: Mapping[str, Scalar]
    measures: Measures


class _Line(NamedTuple):
    """A line about a unit: what was found, or why it has failed."""

    key: str
    cpu: float  # seconds
    entry: Entry | None
    failed: str = ""

    @property
    def content(self) -> dict[str, object]:
        """What is written, as JSON has it."""
        found = {"failed": self.failed} if self.entry is None else self.entry._asdict()
        return {"key": self.key, "cpu": self.cpu, **found}


class Journal:
    """A journal, opened for appending. One process has it at a time.

    Attributes:
        entries: the units that are done, by key.
        failures: the units that have failed and were not done later, with the reasons.
        cpu: seconds of processor time that the units have taken, with those that failed.
        dropped: the number of the line that was dropped, because it was not complete; 0: none was.

    Raises:
        BadJournal: see there.
        BlockingIOError: another process has it.
        OSError: it cannot be read or written.
    """

    def __init__(self, path: Path, build: Mapping[str, str], modules: Mapping[str, str] | None = None) -> None:
        self.entries: dict[str, Entry] = {}
        self.failures: dict[str, str] = {}
        self.cpu = 0.0
        self.dropped = 0
        self._path = path
        self._head = {_FORMAT: _VERSION, "build": dict(build), "modules": dict(modules or {})}
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        try:
            if not stat.S_ISREG(os.fstat(self._file).st_mode):
                raise BadJournal(f"{path} is no regular file")
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._load()
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            os.fsync(self._file)
        finally:
            os.close(self._file)

    def add(self, unit: Unit, measures: Measures, cpu: float) -> None:
        """Adds a unit that is done.

        Raises:
            OSError: the line cannot be written. Then the unit is not done.
        """
        self._add(_Line(unit.key, round(cpu, 6), Entry(dict(unit.parameters), dict(measures))))

    def fail(self, unit: Unit, why: str, cpu: float) -> None:
        """Adds a unit that has failed: it is tried again when the campaign goes on.

        Raises:
            OSError: the line cannot be written.
        """
        self._add(_Line(unit.key, round(cpu, 6), None, why))

    def _add(self, line: _Line) -> None:
        self._append(_encoded(line.content))
        self._note(line)

    def _append(self, line: bytes) -> None:
        end = os.fstat(self._file).st_size
        try:
            written = 0
            while written < len(line):
                written += os.write(self._file, line[written:])
        except OSError:
            os.ftruncate(self._file, end)
            raise

    def _note(self, line: _Line) -> None:
        self.cpu += line.cpu
        if line.entry is None:
            self.failures[line.key] = line.failed
            return
        self.entries[line.key] = line.entry
        self.failures.pop(line.key, None)

    # Reading

    def _load(self) -> None:
        data = self._path.read_bytes()
        lines = [*io.BytesIO(data)]
        whole = 0
        for number, line in enumerate(lines, start=1):
            content = _content(line)
            if content is None and number < len(lines):
                raise BadJournal(f"{self._path}, line {number}: it is damaged; without this line, its unit is done again")
            if content is None:
                self.dropped = number
                break
            if number == 1:
                self._check_head(content)
            elif (of_unit := _line_of(content)) is None:
                raise BadJournal(f"{self._path}, line {number}: it is not about a unit")
            else:
                self._note(of_unit)
            whole += len(line)
        if whole < len(data):
            if not whole and not _encoded(self._head).startswith(data):
                raise BadJournal(f"{self._path} is no journal of a campaign")
            os.ftruncate(self._file, whole)
        if not whole:
            self._append(_encoded(self._head))

    def _check_head(self, head: Mapping[str, object]) -> None:
        for name in ("build", "modules"):
            mine, its = self._head[name], head.get(name)
            if head.get(_FORMAT) != _VERSION or not isinstance(its, dict):
                raise BadJournal(f"{self._path} is no journal of a campaign, or of another version")
            assert isinstance(mine, dict)
            if (part := other_part(mine, its)) is not None:
                raise BadJournal(
                    f"{self._path} is of another build: its {part} is {its.get(part, 'absent')}, here it is"
                    f" {mine.get(part, 'absent')}; use another folder"
                )


def _encoded(content: Mapping[str, object]) -> bytes:
    text = json.dumps(content, allow_nan=False).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def _content(line: bytes) -> dict[str, object] | None:
    """What a line says; None if it is damaged."""
    checksum, text = line[:_CHECKSUM], line[_CHECKSUM + 1 : -1]
    if line[-1:] != b"\n" or line[_CHECKSUM : _CHECKSUM + 1] != b" " or b"%08x" % zlib.crc32(text) != checksum:
        return None
    try:
        content = json.loads(text)
    except ValueError:
        return None
    return content if isinstance(content, dict) else None


def _line_of(content: Mapping[str, object]) -> _Line | None:
    """A line about a unit; None: it is about something else."""
    key, cpu, failed = content.get("key"), content.get("cpu"), content.get("failed", "")
    parameters, measures = content.get("parameters"), content.get("measures")
    if not (isinstance(key, str) and isinstance(cpu, int | float) and isinstance(failed, str)):
        return None
    if failed:
        return _Line(key, cpu, None, failed)
    return _Line(key, cpu, Entry(parameters, measures)) if isinstance(parameters, dict) and isinstance(measures, dict) else None
