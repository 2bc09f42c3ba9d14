# SPDX-License-Identifier: GPL-2.0-only
"""tracefs: the tree of files through which tracing is controlled and read, whoever asks."""

from emu.ftrace.tracefs.fs import TraceFS
from emu.ftrace.tracefs.tree import build_tree

__all__ = ["TraceFS", "build_tree"]
