# SPDX-License-Identifier: GPL-2.0-only
"""The plan of a sweep: a command, its parameters with their values, and what is measured; and the units of it."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import click

from emu.campaign.inputs import digests_of
from emu.campaign.table import Table
from emu.campaign.unit import Unit
from emu.cli.sweep import measures
from emu.cli.sweep.axes import Axis, Settings, Value, axes_of
from emu.cli.sweep.plan_file import PlanFile
from emu.cli.sweep.run_options import RunOptions, run_options

__all__ = ["WORK", "Plan", "plan_of", "sweep_units"]

WORK = "emu.cli.sweep.unit:measured"
_MOST = 1_000_000  # runs
_MOST_SHOWN = 12
_USUAL = {"outcome": "ended", "status": 0}
_EVENT = "an event"
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

    @property
    def columns(self) -> list[str] | None:
        """The names of the table's columns; None: they depend on the runs."""
        found = [axis.column for axis in self.axes] + [*_USUAL]
        for text in self.measures or (measures.COUNTS, measures.LATENCY):
            if (names := measures.columns_of(text)) is None:
                return None
            found += names
        return found

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
            chosen = [*zip(self.axes, values, strict=True)]
            with_files = tuple(value for axis, value in chosen if axis.names_files)
            if with_files not in inputs:
                inputs[with_files] = _digests(run_options(words, command))
            parameters = {axis.column: axis.shown(value) for axis, value in chosen}
            files = sorted(inputs[with_files].values())
            given = {"words": words, "command": command, "measures": [*self.measures], "files": files}
            machine = [value for axis, value in chosen if axis.of_machine]
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
        if not settings.names:
            return [*self.command]
        names = re.compile("|".join(re.escape(f"{{{name}}}") for name in settings.names))
        return [names.sub(lambda found: settings.names[found[0][1:-1]], word) for word in self.command]


def _digests(options: RunOptions) -> dict[str, str]:
    try:
        return digests_of(options.paths)
    except OSError as error:
        raise click.UsageError(f"cannot read {error.filename}: {error.strerror}") from None


def plan_of(file: PlanFile, given: Sequence[str], command: Sequence[str], measured: Sequence[str]) -> Plan:
    """The plan of a file and a command line. What the command line says takes the place of what the file says.

    Args:
        file: empty, if there is none.
        given: texts NAME=VALUE,...
        command: the guest's command; empty: the file's.
        measured: what is measured; empty: the file's.

    Raises:
        click.UsageError: something is wrong.
    """
    written = [_name_and_values(text) for text in given]
    names = {name for name, _ in written}
    parameters = [(name, values) for name, values in file.parameters.items() if name not in names] + written
    return _plan(command or file.command, parameters, measured or file.measure)


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
    written = [(name, values if isinstance(values, str) else [*values]) for name, values in parameters.items()]
    try:
        return [*_plan([command] if isinstance(command, str) else command, written, measure).units()]
    except click.UsageError as error:
        raise ValueError(error.format_message()) from None


def _plan(command: Sequence[str], parameters: Sequence[tuple[str, object]], measured: Sequence[str]) -> Plan:
    if not command:
        raise click.UsageError("there is no command: -- COMMAND is needed")
    for text in measured:
        measures.check(text)
    plan = Plan(tuple(command), tuple(axes_of(parameters, " ".join(command))), tuple(dict.fromkeys(measured)))
    _check_columns(plan)
    return plan


def _check_columns(plan: Plan) -> None:
    """Raises click.UsageError if two columns of the table have the same name."""
    taken = dict.fromkeys(_USUAL, "of each run")
    taken |= {axis.column: f"of the parameter {axis.column}" for axis in plan.axes}
    if wrong := next((axis.column for axis in plan.axes if axis.column in _USUAL), None):
        raise click.UsageError(f"{wrong}: a column of each run has this name")
    for text in plan.measures:
        for name in measures.columns_of(text) or ():
            if name in taken and not (taken[name] == _EVENT and _is_event(text)):
                raise click.UsageError(f"-m {text}: the column {name} is {taken[name]} already")
            taken[name] = _EVENT if _is_event(text) else f"of -m {text}"


def _is_event(text: str) -> bool:
    """Whether it is an event of `emu stat`, or all of them: these mean the same wherever they are."""
    return ":" not in text and text not in (measures.LATENCY, "events", "output")


def _name_and_values(text: str) -> tuple[str, object]:
    name, equals, values = text.partition("=")
    if not (name and equals):
        raise click.UsageError(f"'{text}' is no parameter: NAME=VALUE,... is needed, and -- before the command")
    return name, values.split(",")
