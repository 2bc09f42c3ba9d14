# SPDX-License-Identifier: GPL-2.0-only
"""The plan of a sweep: a command, its parameters with their values, and what is measured; and the units of it.

    command = "ls /bin | wc -l"
    measure = ["cycles", "top:vfs_*"]

    [parameters]
    seed = "0..19"
    cpus = [1, 2, 4, 8]
    p = ["nop", "function", "function_graph"]
"""

from __future__ import annotations

import itertools
import math
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from emu.campaign.inputs import digests_of
from emu.campaign.table import Table
from emu.campaign.unit import Unit
from emu.cli.sweep import measures
from emu.cli.sweep.axes import Axis, Settings, Value, axes_of
from emu.cli.sweep.run_options import RunOptions, run_options
from emu.ftrace.errors import did_you_mean

__all__ = ["WORK", "Plan", "plan_of", "read_plan", "sweep_units"]

WORK = "emu.cli.sweep.unit:measured"
_MOST = 10_000_000  # runs
_LONGEST = 1 << 20  # bytes of a file
_OF_FILES = ("command", "measure", "parameters")
_COMMAND = "command"
_MOST_SHOWN = 12
_USUAL = {"outcome": "ended", "status": 0}
_SHOWN = (*_USUAL, "duration_time", "cycles", "instructions", measures.LATENCY)  # by default


@dataclass(frozen=True)
class Plan:
    """Attributes:
    command: the guest's command: a line for its shell, or a program and its arguments.
    axes: the parameters.
    measures: what is measured, as `measures.check` takes it; empty: the default.
    """

    command: tuple[str, ...]
    axes: tuple[Axis, ...]
    measures: tuple[str, ...] = ()

    def shown(self, table: Table) -> list[str]:
        """Which measures a summary has. How runs have ended is left out if all have ended well."""
        usual = [name for name, value in _USUAL.items() if table.columns[name].unique().to_pylist() == [value]]
        wanted = table.measures if self.measures else _SHOWN
        return [name for name in wanted if name in table.measures and name not in usual][:_MOST_SHOWN]

    def units(self) -> Iterator[Unit]:
        """A unit for each combination of values.

        Raises:
            click.UsageError: a value is wrong, two contradict each other, or a file cannot be read.
        """
        if (count := math.prod(len(axis.values) for axis in self.axes)) > _MOST:
            raise click.UsageError(f"these are {count:,} runs; {_MOST:,} are possible")
        self._check()
        inputs: dict[tuple[Value, ...], dict[str, str]] = {}
        for values in itertools.product(*(axis.values for axis in self.axes)):
            settings = self._settings(values)
            words, command = settings.option_words, self._words(settings)
            with_files = tuple(value for axis, value in zip(self.axes, values, strict=True) if axis.names_files)
            if with_files not in inputs:
                inputs[with_files] = _digests(run_options(words, command))
            parameters = {axis.column: axis.shown(value) for axis, value in zip(self.axes, values, strict=True)}
            given = {"words": words, "command": command, "measures": [*self.measures]}
            machine = [value for axis, value in zip(self.axes, values, strict=True) if axis.of_machine]
            yield Unit(WORK, parameters, given, inputs[with_files], repr(machine))

    def _check(self) -> None:
        """Looks at each value once, with the first values of the other parameters."""
        first = [axis.values[0] for axis in self.axes]
        for number, axis in enumerate(self.axes):
            for value in axis.values:
                settings = self._settings([*first[:number], value, *first[number + 1 :]])
                try:
                    run_options(settings.option_words, self._words(settings))
                except click.UsageError as error:
                    raise click.UsageError(f"{axis.name}={' '.join(value)}: {error.format_message()}") from None

    def _settings(self, values: Sequence[Value]) -> Settings:
        settings = Settings()
        for axis, value in zip(self.axes, values, strict=True):
            settings.apply(axis, value)
        return settings

    def _words(self, settings: Settings) -> list[str]:
        """The guest's command, with values for the names in it."""
        words = [*self.command]
        for name, text in settings.names.items():
            words = [word.replace(f"{{{name}}}", text) for word in words]
        return words


def _digests(options: RunOptions) -> dict[str, str]:
    try:
        return digests_of(options.paths)
    except OSError as error:
        raise click.UsageError(f"cannot read {error.filename}: {error.strerror}") from None


def plan_of(file: Path | None, given: Sequence[str], command: Sequence[str], measured: Sequence[str]) -> Plan:
    """The plan of a file and a command line. What the command line says takes the place of what the file says.

    Args:
        given: texts NAME=VALUE,...
        command: the guest's command; empty: the file's.
        measured: what is measured; empty: the file's.

    Raises:
        click.UsageError: the file cannot be read, or something is wrong.
    """
    of_file = {} if file is None else read_plan(file)
    words = command or of_file.get(_COMMAND, ())
    words = [words] if isinstance(words, str) else list(words)
    if not words:
        raise click.UsageError(f"there is no command: {'-- COMMAND is needed' if file is None else f'{file} has none'}")
    written = [_name_and_values(text) for text in given]
    names = {name for name, _ in written}
    axes = [(name, values) for name, values in of_file.get("parameters", {}).items() if name not in names] + written
    texts = measured or of_file.get("measure", ())
    for text in texts:
        measures.check(text)
    return Plan(tuple(words), tuple(axes_of(axes, " ".join(words))), tuple(texts))


def sweep_units(
    command: str | Sequence[str], parameters: Mapping[str, Iterable[object] | str], measure: Sequence[str] = ()
) -> list[Unit]:
    """The units of a sweep, for `emu.campaign.run`.

    >>> units = sweep_units("ls /bin | wc -l", {"seed": range(20), "p": ["nop", "function_graph"]}, ["cycles"])

    Args:
        command: a line for the guest's shell; or a program and its arguments.
        parameters: for each, its values, as `emu sweep` has them.
        measure: what is measured, as for `emu sweep -m`.

    Raises:
        ValueError: a parameter, a value or a measure does not exist, or a file cannot be read.
    """
    words = [command] if isinstance(command, str) else [*command]
    try:
        for text in measure:
            measures.check(text)
        axes = [(name, values if isinstance(values, str) else [*values]) for name, values in parameters.items()]
        return [*Plan(tuple(words), tuple(axes_of(axes, " ".join(words))), tuple(measure)).units()]
    except click.UsageError as error:
        raise ValueError(error.format_message()) from None


def _name_and_values(text: str) -> tuple[str, list[str]]:
    name, equals, values = text.partition("=")
    if not (name and equals):
        raise click.UsageError(f"'{text}' is no parameter: NAME=VALUE,... is needed, and -- before the command")
    return name, values.split(",")


def read_plan(path: Path) -> Mapping[str, Any]:
    """What a file says.

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
    if unknown := [name for name in found if name not in _OF_FILES]:
        raise click.UsageError(f"{path}: '{unknown[0]}' is unknown{did_you_mean(unknown[0], _OF_FILES)}")
    for name in (_COMMAND, "measure"):
        if not _is_texts(found.get(name, []), or_one=name == _COMMAND):
            raise click.UsageError(f"{path}: {name} must be {'a text or ' * (name == _COMMAND)}a list of texts")
    if not isinstance(found.get("parameters", {}), dict):
        raise click.UsageError(f"{path}: parameters must be a table")
    return found


def _is_texts(value: object, *, or_one: bool) -> bool:
    return (or_one and isinstance(value, str)) or (isinstance(value, list) and all(isinstance(one, str) for one in value))
