# SPDX-License-Identifier: GPL-2.0-only
"""The tracefs of a kernel that has been loaded but not started: no CPU runs, so sites are patched at once. And a running one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest

from emu.cpu import arch as cpu_arch
from emu.cpu.board import Board
from emu.cpu.ramdisk import RamDisk
from emu.ftrace import arch as ftrace_arch
from emu.ftrace.arrays.recorder import Recorder
from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.buffers import entries
from emu.ftrace.buffers.ring_buffer import RingBuffer
from emu.ftrace.guest.own_globals import OwnGlobals
from emu.ftrace.sites.site_updates import PatchedFtrace
from emu.ftrace.tracefs import TraceFS, build_own_tree
from emu.ftrace.tracefs.node import StaticDirectory
from emu.kernel import arch as kernel_arch
from emu.kernel.console import Console
from emu.kernel.image import Image, read_image
from emu.kernel.kernel import Kernel
from emu.machine import Machine, image_directory
from tests.lib.booted_machine import booted_machine

ARCH = "x86_64"
MEMORY, QUANTUM, FREQUENCY = 32 << 20, 1000, 100_000_000


@pytest.fixture(scope="session")
def image() -> Image:
    return read_image(image_directory(ARCH) / "vmlinux", machine=kernel_arch.load(ARCH).elf_machine)


@pytest.fixture
def kernel(image: Image) -> Iterator[Kernel]:
    """A kernel on a board with two CPUs."""
    warnings: list[str] = []
    with RamDisk(1 << 20) as disk, closing(Board(cpu_arch.load(ARCH), 2, MEMORY, QUANTUM, 0, FREQUENCY)) as board:
        made = Kernel(board, kernel_arch.load(ARCH), image, Console(lambda data: None), warnings.append, disk)
        made.load(b"", "", 0)
        yield made
    assert warnings == []


@pytest.fixture
def trace_array(kernel: Kernel) -> Iterator[TraceArray]:
    """The top array."""
    warnings: list[str] = []
    tracing = ftrace_arch.load(ARCH)
    trace_globals = OwnGlobals(kernel, tracing, warnings.append, 0)
    ftrace = PatchedFtrace(kernel, tracing, trace_globals, warnings.append)
    ftrace.sites.initialise()
    yield TraceArray(ftrace, Recorder(kernel, trace_globals))
    assert warnings == []


@pytest.fixture
def rings(trace_array: TraceArray) -> list[RingBuffer]:
    return trace_array.recorder.rings


@pytest.fixture
def root(trace_array: TraceArray) -> StaticDirectory:
    return build_own_tree(trace_array, trace_array.ftrace)


@pytest.fixture
def tracefs(root: StaticDirectory) -> TraceFS:
    return TraceFS(root)


@pytest.fixture(scope="module")
def booted(arch: str) -> Iterator[Machine]:
    """A machine for all tests of a module: nothing that they do may cause a warning of the kernel or of tracing."""
    with booted_machine(arch, cpus=2) as made:
        yield made
        assert made.warnings == []


def mark(ring: RingBuffer, time: int, text: str) -> None:
    """Writes a marker of task 57 to a ring."""
    payload = np.zeros(1, entries.PRINT)
    payload["type"], payload["pid"] = entries.EventType.PRINT, 57
    assert ring.write(time, payload.tobytes() + text.encode() + b"\n\0")
