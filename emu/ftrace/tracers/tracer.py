# SPDX-License-Identifier: GPL-2.0-only
"""What a tracer is: a name, the options only it has, and the callback that its sites call."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from emu.ftrace.options import Option

__all__ = ["Callback", "Tracer"]


class Callback(enum.Enum):
    """What sites call, by its label in the guest kernel. GRAPH also does what ENTRY does, for other arrays."""

    ENTRY = "ftrace_caller"  # records that the function was called, and by whom
    GRAPH = "ftrace_graph_caller"  # records the entry, takes over the return address, records the return


@dataclass(frozen=True)
class Tracer:
    """One entry of available_tracers."""

    name: str
    callback: Callback | None  # of every site that the filters select
    options: tuple[Option, ...] = ()
    in_instances: bool = False  # whether instances have it, too
