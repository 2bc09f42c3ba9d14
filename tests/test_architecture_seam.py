# SPDX-License-Identifier: GPL-2.0-only
"""docs/architecture-seam.md names everything that an architecture provides to the host."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from emu.cpu.arch import CpuArch
from emu.cpu.native.arch import NativeCpu
from emu.ftrace.arch import Breakpoint, FtraceArch
from emu.ftrace.arch.probing import ProbeRegisters, Probing
from emu.ftrace.native.arch import (
    Callbacks,
    EventCallbacks,
    ProbeCallbacks,
    RethookCallbacks,
    SectionCallbacks,
    StackCallbacks,
    TaskCallbacks,
    UprobeCallbacks,
)
from emu.gdb.arch import GdbArch
from emu.kernel.arch import KernelArch
from emu.race.arch import RaceArch
from emu.race.litmus.arch import LitmusArch

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "architecture-seam.md"

# The classes that a port itself fills in, ...
PROVIDED = (CpuArch, NativeCpu, KernelArch, FtraceArch, Breakpoint, Probing, Callbacks, RaceArch, LitmusArch, GdbArch)
# ... and those that it gets from generic code, or fills in by calling that.
MADE = (
    ProbeRegisters, EventCallbacks, ProbeCallbacks, RethookCallbacks, SectionCallbacks, StackCallbacks, TaskCallbacks,
    UprobeCallbacks,
)  # fmt: skip


@pytest.mark.parametrize("provided", [*PROVIDED, *MADE])
def test_what_an_architecture_provides_is_in_the_document(provided: type) -> None:
    named = set(re.findall(r"`(?:\w+\.)?(\w+)(?:\([\w, ]*\))?`", DOCUMENT.read_text()))
    members = {*provided.__annotations__, *getattr(provided, "__abstractmethods__", ())}
    assert members
    assert members <= named
