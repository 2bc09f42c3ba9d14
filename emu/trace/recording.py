# SPDX-License-Identifier: GPL-2.0-only
"""What was recorded, as every source of it gives it: a file, or a machine that runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.words import Words

__all__ = ["Buffer", "CpuPages", "FormatText", "Option", "PageLayout", "Recording"]


class PageLayout(NamedTuple):
    """Where things lie in a ring-buffer page, as events/header_page says; all in bytes."""

    commit_offset: int = 8  # after the time stamp, which is at 0 and takes 8
    commit_size: int = 8  # of a `long` of the kernel
    data_offset: int = 16


_USUAL = PageLayout()


class FormatText(NamedTuple):
    """events/SYSTEM/EVENT/format."""

    system: str
    text: str
    offset: int = 0  # where it lies in its file


class Option(NamedTuple):
    """An option of a trace.dat, known or not, as it stands there."""

    number: int
    data: bytes


@dataclass(frozen=True, eq=False)
class CpuPages:
    """The ring-buffer pages of one CPU.

    `pages` has the shape (n, page size). It may be mapped from a file, and is not written to.
    """

    cpu: int
    pages: NDArray[np.uint8]
    offset: int = 0  # of the first page in its file, or of what it was unpacked from
    packed: bool = False  # it was unpacked


@dataclass(frozen=True, eq=False)
class Buffer:
    """What one trace array recorded. `name`: that of the instance, "" of the top array."""

    name: str
    clock: str
    cpus: Sequence[CpuPages]


class CallCost(NamedTuple):
    """What recording a call by function_graph costs, in nanoseconds, where that is the same for each call.

    Attributes:
        own: in the call's own recorded duration.
        caller: before and after it.
    """

    own: int
    caller: int


@dataclass(frozen=True, eq=False)
class Recording:
    """Pages, and everything that is needed to read them.

    `formats` are those of the system ftrace and of all others; texts of files of tracefs are as they are there.
    """

    buffers: Sequence[Buffer]
    formats: Sequence[FormatText]
    cpu_count: int
    byte_order: str = "<"  # of the machine that has recorded: "<" or ">"
    layout: PageLayout = _USUAL
    kallsyms: bytes = b""
    printk_formats: bytes = b""
    saved_cmdlines: bytes = b""
    saved_tgids: bytes = b""
    kernel_values: Mapping[str, int] = field(default_factory=dict)  # numbers that print fmts name; none: nobody has kept them
    call_cost: CallCost | None = None  # None: it is not known, or not the same for each call
    cpu_stats: Sequence[str] = ()  # per_cpu/cpuN/stats
    uname: str = ""
    version: str = ""  # of the program that recorded
    trace_id: int | None = None
    options: Sequence[Option] = ()
    file_version: int = 0  # of trace.dat; 0: it is no file's
    compression: str = "none"
    damage: Sequence[str] = field(default_factory=list)  # what could not be read, if that was allowed

    @property
    def words(self) -> Words:
        """Of the kernel that has recorded, whatever the program was that wrote the file: a page's commit is a `long`."""
        return Words(self.byte_order, self.layout.commit_size)

    def option(self, number: int) -> bytes | None:
        """The data of the first option of that number; None: there is none."""
        return next((option.data for option in self.options if option.number == number), None)

    @property
    def clock(self) -> str:
        """Of the top array."""
        return self.buffers[0].clock if self.buffers else "local"
