# SPDX-License-Identifier: GPL-2.0-only
"""Files that describe sweeps.

    command = "ls /bin | wc -l"
    measure = ["cycles", "top:vfs_*"]

    [parameters]
    seed = "0..19"
    cpus = [1, 2, 4, 8]
    p = ["nop", "function", "function_graph"]
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from emu.ftrace.errors import did_you_mean

__all__ = ["PlanFile"]

_LONGEST = 1 << 20  # bytes


class PlanFile(NamedTuple):
    """What a file says.

    Attributes:
        command: the guest's command: a line for its shell, or a program and its arguments; empty: it has none.
        measure: what is measured.
        parameters: names and values, which are not checked.
    """

    command: Sequence[str] = ()
    measure: Sequence[str] = ()
    parameters: Mapping[str, object] = {}  # nobody changes it

    @classmethod
    def read(cls, path: Path) -> PlanFile:
        """Reads a file.

        Raises:
            click.UsageError: it cannot be read, or is not of the form.
        """
        try:
            data = path.read_bytes()
            found = tomllib.loads(data[:_LONGEST].decode())
        except OSError as error:
            raise click.UsageError(f"cannot read {path}: {error.strerror}") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
            raise click.UsageError(f"{path}: {' '.join(str(error).split())}") from None
        if len(data) > _LONGEST:
            raise click.UsageError(f"{path}: it is longer than {_LONGEST:,} bytes")
        if unknown := [name for name in found if name not in cls._fields]:
            raise click.UsageError(f"{path}: '{unknown[0]}' is unknown{did_you_mean(unknown[0], cls._fields)}")
        command, measure, parameters = found.get("command", []), found.get("measure", []), found.get("parameters", {})
        if isinstance(command, str):
            command = [command]
        if not _are_texts(command):
            raise click.UsageError(f"{path}: command must be a text or a list of texts")
        if not _are_texts(measure):
            raise click.UsageError(f"{path}: measure must be a list of texts")
        if not isinstance(parameters, dict):
            raise click.UsageError(f"{path}: parameters must be a table")
        return cls(command, measure, parameters)


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
