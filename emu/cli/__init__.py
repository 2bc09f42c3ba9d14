# SPDX-License-Identifier: GPL-2.0-only
"""The `emu` command."""

from emu.cli.main import main

__all__ = ["main"]
