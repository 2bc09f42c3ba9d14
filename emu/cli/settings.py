# SPDX-License-Identifier: GPL-2.0-only
"""What options ask to be written to files of tracefs before the command runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import click

from emu.ftrace.errors import TraceError

__all__ = ["Setting", "apply", "file_setting"]


class Setting(NamedTuple):
    """One write to a file of tracefs, and the option that asks for it, as an error names it."""

    option: str
    path: str
    text: str


def file_setting(text: str) -> Setting:
    """What `--set FILE=VALUE` asks for.

    Raises:
        click.UsageError: it has another form.
    """
    path, equals, value = text.partition("=")
    if not (path and equals):
        raise click.UsageError(f"--set {text}: FILE=VALUE is needed")
    return Setting(f"--set {path}", path, value)


def apply(write: Callable[[str, str], None], settings: Iterable[Setting]) -> None:
    """Writes the settings by a method of tracefs.

    Raises:
        click.ClickException: one is refused.
    """
    for setting in settings:
        try:
            write(setting.path, setting.text)
        except TraceError as error:
            raise click.ClickException(f"{setting.option}: {error.why or error.strerror}") from None
