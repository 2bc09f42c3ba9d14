# SPDX-License-Identifier: GPL-2.0-only
"""The option --arch of commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import click

from emu.architectures import DEFAULT_ARCHITECTURE

__all__ = ["Command", "arch_option"]

Command = TypeVar("Command", bound=Callable[..., object])


def arch_option(help_text: str) -> Callable[[Command], Command]:
    """The option, whose architecture is what `help_text` says."""
    return click.option("--arch", default=DEFAULT_ARCHITECTURE, show_default=True, metavar="A", help=help_text)
