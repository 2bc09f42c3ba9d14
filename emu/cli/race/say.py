# SPDX-License-Identifier: GPL-2.0-only
"""Output of the commands of `emu race`."""

from __future__ import annotations

import sys

from emu.cli.standard_streams import write_through

__all__ = ["say"]


def say(text: str) -> None:
    """Writes to standard output immediately."""
    write_through(sys.stdout, text.encode())
