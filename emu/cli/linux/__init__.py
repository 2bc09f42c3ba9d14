# SPDX-License-Identifier: GPL-2.0-only
"""emu linux: the Linux kernels that can be booted."""

from __future__ import annotations

import click

from emu.cli.linux.fetch import fetch
from emu.cli.linux.list import list_kernels

__all__ = ["linux"]


@click.group()
def linux() -> None:
    """List or fetch the Linux kernels that can be booted, unmodified, instead of emu's own kernel."""


linux.add_command(fetch)
linux.add_command(list_kernels)
