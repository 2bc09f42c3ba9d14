# SPDX-License-Identifier: GPL-2.0-only
"""Looking at a trace in the terminal: emu top, emu tree, emu grep."""

from emu.cli.looking.grep import grep
from emu.cli.looking.top import ftd, top
from emu.cli.looking.tree import tree

__all__ = ["ftd", "grep", "top", "tree"]
