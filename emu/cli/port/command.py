# SPDX-License-Identifier: GPL-2.0-only
"""emu port: its subcommands."""

from __future__ import annotations

import click

from emu.cli.port.exercise import exercise

__all__ = ["port"]


@click.group()
def port() -> None:
    """Port emu to an architecture, or learn how that is done (docs/architecture-seam.md, docs/course.md)."""


port.add_command(exercise)
