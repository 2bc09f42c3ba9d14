# SPDX-License-Identifier: GPL-2.0-only
"""The host's tree of tracefs for a Linux guest."""

from __future__ import annotations

from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.tracefs.node import StaticDirectory
from emu.ftrace.tracefs.tree import build_tree

__all__ = ["build_outside_tree"]


def build_outside_tree(tr: TraceArray) -> StaticDirectory:
    """The root directory of the top array, `tr`."""
    return build_tree(tr, {}, {})
