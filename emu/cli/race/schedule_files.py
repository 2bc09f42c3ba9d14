# SPDX-License-Identifier: GPL-2.0-only
"""The option -o: writes the schedules found by a search to a file or a folder."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Self

import click

from emu.cli.output import Output, open_output
from emu.cli.race.report import counted

if TYPE_CHECKING:
    from emu.race import Verdict

__all__ = ["ScheduleFiles"]


class ScheduleFiles:
    """The output for -o: a file for the first unsafe verdict's schedule, or a folder for all schedules.

    Args:
        path: the file, or an existing folder; None: schedules are not written.
        seed: the seed of the machine on which they are found.
        read: the input files, none of which may be overwritten.

    Raises:
        click.ClickException: the path cannot be written.
    """

    def __init__(self, path: Path | None, seed: int, read: Iterable[Path] = ()) -> None:
        self._found = self._written = 0
        self._names: set[str] = set()
        self._path = path
        self._seed = seed
        self._files = ExitStack()
        self._file: Output | None = None
        self._folder: Path | None = None
        if path is not None and path.is_dir():
            self._folder = path
            if not os.access(path, os.W_OK | os.X_OK):
                raise click.ClickException(f"cannot write {path}: Permission denied")
        elif path is not None:
            if path.exists() and any(file.exists() and path.samefile(file) for file in read):
                raise click.ClickException(f"cannot write {path}: it says what is searched")
            self._file = self._files.enter_context(open_output(path))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._files.close()

    @property
    def said(self) -> str:
        """A line about the written files; "" if nothing had to be written."""
        if self._path is None:
            return ""
        if not self._written:
            return "written: nothing, since nothing unsafe was found\n"
        if self._folder is not None:
            return f"written: {counted(self._written, 'schedule')} in {self._folder}\n"
        return f"written: {self._path}{f', the first of {self._found}; a folder gets all' if self._found > 1 else ''}\n"

    def add(self, verdict: Verdict) -> None:
        """Writes the verdict's schedule, if there is one to be written.

        Raises:
            click.ClickException: it cannot be written.
        """
        if not verdict.schedule or self._path is None:
            return
        self._found += 1
        if self._folder is not None:
            path = self._folder / f"{self._new_name(verdict)}.schedule"
            with open_output(path) as file:
                self._write(file, path, verdict)
        elif self._file is not None and not self._written:
            self._write(self._file, self._path, verdict)

    def _new_name(self, verdict: Verdict) -> str:
        """A file name that no other schedule of this search has."""
        name = re.sub(r"[^\w.]+", "-", f"{verdict.scenario.name} {verdict.fetch} {verdict.on}").strip("-.")
        numbered = (f"{name}-{number}" for number in count(2))
        while name in self._names:
            name = next(numbered)
        self._names.add(name)
        return name

    def _write(self, file: Output, path: Path, verdict: Verdict) -> None:
        from emu.race.schedule.schedule import Schedule, text_of

        text = text_of(Schedule.of(verdict, self._seed)).encode()
        file.write(lambda: [text])
        self._written += 1
