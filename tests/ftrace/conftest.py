# SPDX-License-Identifier: GPL-2.0-only
"""A tracefs over an engine that only notes what it is told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from emu.ftrace.filters import Functions
from emu.ftrace.ring_buffer import RingBuffer
from emu.ftrace.text import SymbolTable, TraceView
from emu.ftrace.trace_array import BufferStats, EnabledFunction, Pids, TraceArray
from emu.ftrace.tracefs import TraceFS, build_tree


class FakeEngine:
    """Satisfies the Engine protocol; `calls` lists what was asked of it, in order."""

    cpus = 2
    clock_names = ("local", "global", "counter", "x86-tsc")

    def __init__(self, names: Sequence[str]) -> None:
        self.functions = Functions(list(names))
        self.calls: list[tuple[Any, ...]] = []
        self.markers: list[bytes] = []
        self.recording = True
        self.listed: tuple[Pids, Pids] = (None, None)
        self.rings = [RingBuffer(cpu, 2) for cpu in range(self.cpus)]

    def attach(self, array: TraceArray) -> None:
        pass

    def divide(self) -> FakeEngine:
        return FakeEngine(self.functions.names)

    def close(self) -> None:
        self.calls.append(("close",))

    def update(self) -> None:
        self.calls.append(("update",))

    def set_recording(self, on: bool) -> None:
        self.calls.append(("set_recording", on))
        self.recording = on

    def set_cpus(self, cpus: frozenset[int]) -> None:
        self.calls.append(("set_cpus", sorted(cpus)))

    def pids(self) -> tuple[Pids, Pids]:
        return self.listed

    def set_pids(self, chosen: Pids, excluded: Pids) -> None:
        self.listed = chosen, excluded

    def option_changed(self, name: str, on: bool) -> None:
        self.calls.append(("option_changed", name, on))

    def pipe_view(self, cpu: int | None) -> tuple[TraceView, Mapping[int, int]]:
        """Events that are there to be read are in `rings`."""
        rings = [ring for ring in self.rings if cpu is None or ring.cpu == cpu]
        found = {ring.cpu: ring.peek() for ring in rings}
        limits = {index: limit for index, (_, limit) in found.items() if limit}
        return replace(self.trace_view(cpu), events=[found[index][0] for index in limits]), limits

    def consume(self, cpu: int, count: int) -> None:
        self.rings[cpu].discard(count)

    def read_page(self, cpu: int) -> bytes | None:
        page = self.rings[cpu].read_page()
        return None if page is None else page.tobytes()

    def await_event(self) -> None:
        self.calls.append(("await_event",))

    def wake_readers(self) -> None:
        self.calls.append(("wake_readers",))

    def trace_view(self, cpu: int | None) -> TraceView:
        options = {"irq-info": True, "context-info": True}
        return TraceView("nop", [], 0, 0, self.cpus, options, SymbolTable({}, 0), dict(self.comms()).get)

    def clear(self, cpu: int | None) -> None:
        self.calls.append(("clear", cpu))

    def buffer_stats(self, cpu: int) -> BufferStats:
        return BufferStats(30215, 0, 0, 850180, 76_411_721_999, 77_395_217_000, 0, 0)

    def enabled_functions(self) -> Iterable[EnabledFunction]:
        callback = "function_trace_call+0x0/0x140"
        yield EnabledFunction("vfs_read", 1, False, callback, "0xffffffffa0000000")
        yield EnabledFunction("vfs_write", 2, True, callback)

    def comms(self) -> Iterable[tuple[int, str]]:
        return [(57, "sh"), (2022, "cat")]

    def clock_counts(self, name: str) -> bool:
        return name in ("counter", "x86-tsc")

    def set_clock(self, name: str) -> None:
        self.calls.append(("set_clock", name))

    def resize(self, kb: int, cpu: int | None = None) -> int:
        if kb > 1 << 40:
            raise MemoryError
        self.calls.append(("resize", kb) if cpu is None else ("resize", kb, cpu))
        return max(2, -(-kb * 1024 // 4080)) * 4080 // 1024

    def resize_comms(self, entries: int) -> None:
        self.calls.append(("resize_comms", entries))

    def write_marker(self, text: bytes) -> bool:
        if self.recording:
            self.markers.append(text.rstrip(b"\0"))
        return self.recording

    def write_raw(self, data: bytes) -> bool:
        return self.write_marker(data)


NAMES = [
    "vfs_open", "vfs_read", "vfs_write", "vfs_fsync", "ksys_read", "do_sys_openat2",
    "schedule", "try_to_wake_up", "sched_clock", "sched_clock_cpu", "vfs_read",
]  # fmt: skip


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine(NAMES)


@pytest.fixture
def trace_array(engine: FakeEngine) -> TraceArray:
    trace_array = TraceArray(engine)
    engine.calls.clear()
    return trace_array


@pytest.fixture
def root(trace_array: TraceArray) -> Any:
    return build_tree(trace_array)


@pytest.fixture
def tracefs(root: Any) -> TraceFS:
    return TraceFS(root)
