# SPDX-License-Identifier: GPL-2.0-only
"""tracefs: the tree of files through which the guest and Python control and read tracing; also kprobes of debugfs."""

from emu.ftrace.tracefs.fs import TraceFS
from emu.ftrace.tracefs.kprobes_files import build_kprobes_tree
from emu.ftrace.tracefs.own_tree import build_own_tree

__all__ = ["TraceFS", "build_kprobes_tree", "build_own_tree"]
