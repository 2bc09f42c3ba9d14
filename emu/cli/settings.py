# SPDX-License-Identifier: GPL-2.0-only
"""Writes to tracefs files requested by options, before the command runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import click

from emu.ftrace.errors import TraceError

__all__ = ["Setting", "apply", "file_setting"]


class Setting(NamedTuple):
    """One write to a tracefs file, and the option that requests it, for errors."""

    option: str
    path: str
    text: str


def file_setting(text: str) -> Setting:
    """The setting for `--set FILE=VALUE`.

    Raises:
        click.UsageError: the text has another form.
    """
    path, equals, value = text.partition("=")
    if not (path and equals):
        raise click.UsageError(f"--set {text}: FILE=VALUE is needed")
    return Setting(f"--set {path}", path, value)


def apply(write: Callable[[str, str], None], settings: Iterable[Setting]) -> None:
    """Writes the settings with a method of tracefs.

    Raises:
        click.ClickException: tracefs refuses one.
    """
    for setting in settings:
        try:
            write(setting.path, setting.text)
        except TraceError as error:
            raise click.ClickException(f"{setting.option}: {error.why or error.strerror}") from None
