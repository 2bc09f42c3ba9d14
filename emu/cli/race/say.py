# SPDX-License-Identifier: GPL-2.0-only
"""How the commands of `emu race` print."""

from __future__ import annotations

import sys

from emu.cli.output import write_through

__all__ = ["say"]


def say(text: str) -> None:
    """Writes to standard output at once."""
    write_through(sys.stdout, text.encode())
