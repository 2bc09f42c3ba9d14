# SPDX-License-Identifier: GPL-2.0-only
"""What a tracer is: a name, the options only it has, and what it hangs on the sites."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from emu.ftrace.options import Option

__all__ = ["OpsKind", "Tracer"]


class OpsKind(enum.Enum):
    """The callback that a tracer needs at every site its filter selects."""

    NONE = enum.auto()
    ENTRY = enum.auto()  # records that the function was called, and by whom
    GRAPH = enum.auto()  # records the entry, takes over the return address, records the return


@dataclass(frozen=True)
class Tracer:
    """One entry of available_tracers."""

    name: str
    ops: OpsKind
    options: tuple[Option, ...] = ()
    in_instances: bool = False  # whether instances have it, too
