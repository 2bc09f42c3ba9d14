# SPDX-License-Identifier: GPL-2.0-only
"""emu port: begins, checks and teaches ports to other architectures."""

from __future__ import annotations

import click

from emu.cli.port.check import check
from emu.cli.port.new import new

__all__ = ["port"]


@click.group()
def port() -> None:
    """Bring emu and its ftrace to another architecture (docs/architecture-seam.md)."""


port.add_command(check)
port.add_command(new)
