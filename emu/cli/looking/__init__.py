# SPDX-License-Identifier: GPL-2.0-only
"""Looking at a trace in the terminal: emu top, emu tree, emu grep, emu diff."""

from emu.cli.looking.diff import diff
from emu.cli.looking.grep import grep
from emu.cli.looking.top import ftd, top
from emu.cli.looking.tree import tree

__all__ = ["diff", "ftd", "grep", "top", "tree"]
