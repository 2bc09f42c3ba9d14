# SPDX-License-Identifier: GPL-2.0-only
"""What call sites call."""

from __future__ import annotations

import enum

__all__ = ["Callback"]


class Callback(enum.Enum):
    """What sites call, by its label in the guest kernel. GRAPH also does what ENTRY does, for other arrays."""

    ENTRY = "ftrace_caller"  # records that the function was called, and by whom
    GRAPH = "ftrace_graph_caller"  # records the entry, takes over the return address, records the return
