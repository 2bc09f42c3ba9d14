# SPDX-License-Identifier: GPL-2.0-only
"""A recording, in the form that all sources provide: a file, or a running machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.words import Words

__all__ = ["Buffer", "CpuPages", "FormatText", "Option", "PageLayout", "Recording"]


class PageLayout(NamedTuple):
    """The layout of a ring-buffer page, from events/header_page; in bytes."""

    commit_offset: int = 8  # after the timestamp, which takes 8 bytes
    commit_size: int = 8  # size of the kernel's `long`
    data_offset: int = 16


_USUAL = PageLayout()


class FormatText(NamedTuple):
    """events/SYSTEM/EVENT/format."""

    system: str
    text: str
    offset: int = 0  # position in its file


class Option(NamedTuple):
    """An option of a trace.dat, known or not, as stored there."""

    number: int
    data: bytes


@dataclass(frozen=True, eq=False)
class CpuPages:
    """The ring-buffer pages of one CPU.

    `pages` has the shape (n, page size). It may be mapped from a file, and is never written to.
    """

    cpu: int
    pages: NDArray[np.uint8]
    offset: int = 0  # position of the first page in its file, or of the packed data
    packed: bool = False  # whether it was unpacked


@dataclass(frozen=True, eq=False)
class Buffer:
    """The recording of one trace array. `name`: the instance's, "" for the top array."""

    name: str
    clock: str
    cpus: Sequence[CpuPages]


class CallCost(NamedTuple):
    """The cost in nanoseconds of recording a call with function_graph, if it is constant.

    Attributes:
        own: the part within the call's own recorded duration.
        caller: the part before and after it.
    """

    own: int
    caller: int


@dataclass(frozen=True, eq=False)
class Recording:
    """Pages, with everything that is needed to read them.

    `formats` has those of the system ftrace and of all others. Texts of tracefs files are stored unchanged.
    """

    buffers: Sequence[Buffer]
    formats: Sequence[FormatText]
    cpu_count: int
    byte_order: str = "<"  # of the machine that recorded: "<" or ">"
    layout: PageLayout = _USUAL
    kallsyms: bytes = b""
    printk_formats: bytes = b""
    saved_cmdlines: bytes = b""
    saved_tgids: bytes = b""
    trace_options: bytes = b""  # of a kernel whose calls' arguments and return values can be recorded
    btf: Mapping[str, bytes] = field(default_factory=dict)  # what its functions take: the kernel's BTF (""), and its modules'
    kernel_values: Mapping[str, int] = field(default_factory=dict)  # numbers used by print fmts; empty if they were not saved
    call_cost: CallCost | None = None  # None: unknown, or not constant
    cpu_stats: Sequence[str] = ()  # per_cpu/cpuN/stats
    uname: str = ""
    version: str = ""  # of the program that recorded
    trace_id: int | None = None
    options: Sequence[Option] = ()
    file_version: int = 0  # of trace.dat; 0: not from a file
    compression: str = "none"
    damage: Sequence[str] = field(default_factory=list)  # what could not be read, if errors were tolerated

    @property
    def words(self) -> Words:
        """Word size and byte order of the kernel that recorded, whatever program wrote the file: a page's commit is a `long`."""
        return Words(self.byte_order, self.layout.commit_size)

    def option(self, number: int) -> bytes | None:
        """The data of the first option with this number; None if there is none."""
        return next((option.data for option in self.options if option.number == number), None)

    @property
    def clock(self) -> str:
        """The top array's clock."""
        return self.buffers[0].clock if self.buffers else "local"
