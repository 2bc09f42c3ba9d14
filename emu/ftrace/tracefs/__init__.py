# SPDX-License-Identifier: GPL-2.0-only
"""tracefs: the tree of files through which tracing is controlled and read, whoever asks."""

from emu.ftrace.tracefs.fs import TraceFS
from emu.ftrace.tracefs.node import Directory, File, Handle, Node, OpenFlags, Poll, WouldBlock
from emu.ftrace.tracefs.tree import build_tree

__all__ = ["Directory", "File", "Handle", "Node", "OpenFlags", "Poll", "TraceFS", "WouldBlock", "build_tree"]
