# SPDX-License-Identifier: GPL-2.0-only
"""The parameters of a sweep and their values: `seed=0..19`, `cpus=1,2,4`, `append:slow=0,1`.

A parameter's name is that of an option of `emu run` without its dashes, and its values are the option's. `set:FILE` is a file of
tracefs that is written, `append:WORD` a parameter of the guest's kernel. Other names stand in the command, in braces: `{n}`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import click

from emu.campaign.unit import Scalar
from emu.cli.sweep.run_options import NAMING_FILES, OF_TRACING, OPTIONS, REFUSED
from emu.ftrace.errors import did_you_mean

__all__ = ["Axis", "Settings", "Value", "axes_of", "numbers_of"]

_RANGE = re.compile(r"(-?\d{1,18})\.\.(-?\d{1,18})(?:\.\.(\d{1,18}))?")
_MOST = 10_000_000  # values of a range
_INTEGER = re.compile(r"0|-?[1-9]\d{0,17}")
_FRACTION = re.compile(r"-?(?:0|[1-9]\d{0,14})\.\d{1,15}")
_PARTS = ("set", "append")
_YES, _NO = ("yes", "true", "1", "on"), ("no", "false", "0", "off", "")
_KERNEL = "linux"

Value: TypeAlias = tuple[str, ...]
"""The texts of a value. Several are of an option that may be repeated."""


@dataclass(frozen=True)
class Axis:
    """A parameter and its values.

    Attributes:
        name: as it was written.
        values: the values as texts.
        column: its name in the table, which no other parameter has.
        in_command: whether it stands in the command. Then it is no option.
    """

    name: str
    values: tuple[Value, ...]
    column: str
    in_command: bool

    @property
    def names_files(self) -> bool:
        """Whether it depends on its value which files of the host a run reads."""
        return self.name in NAMING_FILES and not self.in_command

    @property
    def of_machine(self) -> bool:
        """Whether runs with different values of it need different machines."""
        name = self.name.partition(":")[0]
        return not self.in_command and name not in (*OF_TRACING, "limit")

    def shown(self, value: Value) -> Scalar:
        """A value as the table has it: numbers are numbers."""
        text = " ".join(value)
        return int(text) if _INTEGER.fullmatch(text) else float(text) if _FRACTION.fullmatch(text) else text


def _values(name: str, written: object) -> tuple[Value, ...]:
    """The values of a parameter.

    Args:
        name: the parameter's name.
        written: the values: a text, which is a value or a range; or a list of values, each of which may be a list.

    Raises:
        click.UsageError: there are no values, or they are none.
    """
    given = written if isinstance(written, Sequence) and not isinstance(written, str) else [written]
    values: list[Value] = []
    for one in given:
        if isinstance(one, str) and (found := _RANGE.fullmatch(one)):
            values += [(str(number),) for number in _range(name, found)]
        else:
            values.append(tuple(_text(name, part) for part in (one if isinstance(one, list | tuple) else [one])))
    if not values:
        raise click.UsageError(f"{name}: it has no values")
    if len({*values}) < len(values):
        raise click.UsageError(f"{name}: a value occurs twice")
    return tuple(values)


def _range(name: str, found: re.Match[str]) -> range:
    first, last, step = int(found[1]), int(found[2]), int(found[3] or 1)
    if not step or last < first:
        raise click.UsageError(f"{name}={found[0]}: FIRST..LAST or FIRST..LAST..STEP is needed, the last not below the first")
    numbers = range(first, last + 1, step)
    if len(numbers) > _MOST:
        raise click.UsageError(f"{name}={found[0]}: these are more than {_MOST:,} values")
    return numbers


def numbers_of(name: str, text: str) -> tuple[int, ...]:
    """The whole numbers of a text: 1,2,4 or 0..19.

    Raises:
        click.UsageError: it has others.
    """
    values = [value for (value,) in _values(name, text.split(","))]
    if wrong := [value for value in values if not _INTEGER.fullmatch(value)]:
        raise click.UsageError(f"{name} {wrong[0]}: this is no whole number")
    return tuple(map(int, values))


def _text(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, str | int | float):
        raise click.UsageError(f"{name}: {value!r} is no text, number or truth value")
    return str(value)


def axes_of(written: Sequence[tuple[str, object]], command: str) -> list[Axis]:
    """The axes with these names and values. An option that may be repeated can occur several times.

    Args:
        written: names and values, in order.
        command: the guest's command, whose words may name parameters.

    Raises:
        click.UsageError: a parameter does not exist, occurs twice, or has wrong values.
    """
    axes: list[Axis] = []
    for name, values in written:
        if not (in_command := f"{{{name}}}" in command):
            _check(name)
        before = sum(other.name == name for other in axes)
        if before and (in_command or name not in OPTIONS or not OPTIONS[name].multiple):
            raise click.UsageError(f"{name}: it was given twice")
        axes.append(Axis(name, _values(name, values), f"{name}.{before + 1}" if before else name, in_command))
    return axes


def _check(name: str) -> None:
    """Raises click.UsageError if no option has this name."""
    option, _, rest = name.partition(":")
    if (option in _PARTS and rest) or name in OPTIONS:
        return
    if why := REFUSED.get(f"--{name}"):
        raise click.UsageError(f"{name} is no parameter of a sweep: {why}")
    what = f"'{name}' is no option of emu run that a sweep can vary, and {{{name}}} is not in the command"
    raise click.UsageError(f"{what}{did_you_mean(name, OPTIONS)}")


@dataclass
class Settings:
    """What the values of all parameters make of one run.

    Attributes:
        words: options of the run.
        appended: parameters of the guest's kernel.
        names: what stands for names in the command.
    """

    words: list[str] = field(default_factory=list)
    appended: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)

    def apply(self, axis: Axis, value: Value) -> None:
        """Adds a parameter's value.

        Raises:
            click.UsageError: it is none.
        """
        if axis.in_command:
            self.names[axis.name] = " ".join(value)
            return
        option, _, rest = axis.name.partition(":")
        for text in value:
            if option == "append":
                self.appended.append(f"{rest}={text}" if rest else text)
            elif rest:
                self.words += ["--set", f"{rest}={text}"]
            else:
                self._add_option(option, text)

    def _add_option(self, name: str, text: str) -> None:
        option = OPTIONS[name]
        word = next(one for one in option.opts if one.lstrip("-") == name)
        if text in _NO if option.is_flag or name == _KERNEL else not text:
            return  # the option is absent
        text = _absolute(name, text)
        if option.is_flag or name == _KERNEL:
            if text not in _YES and option.is_flag:
                raise click.UsageError(f"{name}={text}: yes or no is needed")
            self.words.append(word if text in _YES else f"{word}={text}")
        else:
            self.words += [word, text]

    @property
    def option_words(self) -> list[str]:
        """The words of the run's options."""
        appended = " ".join(filter(None, self.appended))
        return [*self.words, *(["--append", appended] if appended else [])]


def _absolute(name: str, text: str) -> str:
    """An option's value in which the file of the host has its whole path: a worker may be elsewhere."""
    if name in ("image", "initrd", "ramdisk", "rootfs", "share") or (name == "patching" and ":" in text):
        return os.path.abspath(text)
    if name == _KERNEL and text not in _YES:
        return os.path.abspath(text)
    kind, equals, path = text.partition("=")
    return f"{kind}={os.path.abspath(path)}" if name == "userland" and equals else text
