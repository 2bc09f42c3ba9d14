# SPDX-License-Identifier: GPL-2.0-only
"""The targets of call sites."""

from __future__ import annotations

import enum

__all__ = ["Callback"]


class Callback(enum.Enum):
    """The target of a call, by its label in the guest kernel. GRAPH also does the work of ENTRY for other arrays."""

    ENTRY = "ftrace_caller"  # records the function's call and its caller
    GRAPH = "ftrace_graph_caller"  # records the entry, replaces the return address, records the return
