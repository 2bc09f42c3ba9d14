# SPDX-License-Identifier: GPL-2.0-only
"""emu port: begins, checks and teaches ports to other architectures."""

from __future__ import annotations

import click

from emu.cli.port.check import check
from emu.cli.port.exercise import exercise
from emu.cli.port.new import new

__all__ = ["port"]


@click.group()
def port() -> None:
    """Bring emu and its ftrace to another architecture, or learn how that is done.

    See docs/architecture-seam.md and docs/course.md.
    """


port.add_command(new)
port.add_command(check)
port.add_command(exercise)
