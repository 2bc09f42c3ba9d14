# SPDX-License-Identifier: GPL-2.0-only
"""Traces to convert: from machines of both architectures, from a real Linux, and of a few events that a test writes."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from emu.trace import Trace
from emu.trace.convert import FORMATS, ConvertOptions
from tests.lib.booted_machine import booted_machine
from tests.lib.golden import GOLDEN
from tests.lib.trace_dat import Dat, Pages, event_id

LINUX = ("function", "graph", "graph-depth", "graph-openat2", "sched", "syscalls")
A, B, C = 0xFFFFFFFF81000000, 0xFFFFFFFF81000040, 0xFFFFFFFF81000080
SYMBOLS = f"{A:x} T a\n{B:x} T b\n{C:x} T c\n{C + 64:x} T end\n"


@pytest.fixture(scope="module")
def trace(arch: str) -> Iterator[Trace]:
    """A trace of a machine: calls, switches, interrupts, system calls, a message, stacks."""
    with booted_machine(arch, cpus=2) as machine:
        for file, content in (
            ("buffer_size_kb", "20000"), ("current_tracer", "function_graph"), ("events/sched/enable", "1"),
            ("events/irq/enable", "1"), ("events/raw_syscalls/enable", "1"), ("trace_marker", 'said "so", and more'),
            ("events/sched/sched_process_fork/trigger", "stacktrace"), ("tracing_on", "0"),
        ):  # fmt: skip
            machine.tracefs.write(file, content)
        machine.run("ls /bin | wc -l", trace=True)
        yield machine.trace()


@pytest.fixture(scope="module", params=LINUX)
def linux_trace(request: pytest.FixtureRequest) -> Trace:
    """A trace of a real Linux."""
    return Trace.open(GOLDEN / f"tracecmd-{request.param}.dat")


def converted(trace: Trace, name: str, options: ConvertOptions | None = None) -> bytes:
    """The complete file of a format."""
    return b"".join(FORMATS[name].pieces(trace, options or ConvertOptions()))


def trace_of(
    tmp_path: Path, *cpus: Sequence[tuple[int, bytes] | None], order: str = "<", tasks: str = "5 name\n", clock: str = "local"
) -> Trace:
    """A trace of entries of each CPU, each with its time; None: some were lost at that point."""
    data = []
    for events in cpus:
        pages = Pages(order)
        for event in events:
            if event is None:
                pages.lose(3)
            else:
                pages.add(*event)
        pages.flush()
        data.append(pages.data)
    path = tmp_path / "trace.dat"
    path.write_bytes(Dat(data, kallsyms=SYMBOLS, cmdlines=tasks, order=order, clock=clock).version7())
    return Trace.open(path)


def switch(time: int, cpu: int, before: int, after: int) -> tuple[int, bytes]:
    """A sched_switch of a real Linux."""
    fields = struct.pack("<16siiq16sii", b"one", before, 120, 1, b"two", after, 120)
    return time, struct.pack("<HBBi", event_id("sched", "sched_switch"), 0, 0, before) + fields


def stack(time: int, pid: int, *addresses: int) -> tuple[int, bytes]:
    """A stack recorded next to an event."""
    return time, struct.pack(f"<HBBiii{len(addresses)}Q", 4, 0, 0, pid, len(addresses), 0, *addresses)
