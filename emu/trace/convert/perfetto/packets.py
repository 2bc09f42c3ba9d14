# SPDX-License-Identifier: GPL-2.0-only
"""A trace as Perfetto's packets: the machine, its tasks, and its events. Field numbers are those of trace_packet.proto."""

from __future__ import annotations

from collections.abc import Iterator

from emu.ftrace.buffers.clock_names import counts_nanoseconds
from emu.trace.convert.about import about
from emu.trace.convert.options import ConvertOptions
from emu.trace.convert.perfetto.ftrace import Bundles
from emu.trace.convert.perfetto.wire import field
from emu.trace.trace import Trace

__all__ = ["perfetto"]

_FTRACE, _PROCESS_TREE, _TIMESTAMP, _SEQUENCE, _INTERNED, _FLAGS = 1, 2, 8, 10, 12, 13
_SYSTEM_INFO, _FIRST, _ATTRIBUTES = 45, 87, 126
_CLEARED, _NEEDS = 1, 2  # flags: the sequence's interned names start anew; they are needed
_KERNEL_SYMBOLS = 26
_SEQUENCE_ID = field(_SEQUENCE, 1)


def perfetto(trace: Trace, options: ConvertOptions) -> Iterator[bytes]:
    """The bytes of a Trace message."""
    if not counts_nanoseconds(trace.first.clock):
        options.notes.append(f"the clock {trace.first.clock} does not count nanoseconds, but Perfetto takes its times for these")
    yield _packet(field(_FLAGS, _CLEARED) + field(_FIRST, 1) + field(_SYSTEM_INFO, _system(trace)))
    attributes = b"".join(field(1, field(1, f"emu.{name}") + field(3, str(value))) for name, value in about(trace).items())
    yield _packet(field(_ATTRIBUTES, attributes))
    time = trace.first.columns.time
    yield _packet(field(_TIMESTAMP, int(time[0]) if len(time) else 0) + field(_PROCESS_TREE, _process_tree(trace)))
    bundles = Bundles(trace, options)
    for symbols, bundle in bundles:
        names = b"".join(field(_KERNEL_SYMBOLS, field(1, number) + field(2, name)) for name, number in symbols.items())
        interned = field(_INTERNED, names) if names else b""
        yield _packet(field(_FLAGS, _NEEDS) + interned + field(_FTRACE, bundle))


def _packet(content: bytes) -> bytes:
    return field(1, _SEQUENCE_ID + content)


def _system(trace: Trace) -> bytes:
    """From uname: system, machine, release, architecture."""
    words = trace.recording.uname.split()
    if len(words) < 4:
        return field(8, trace.recording.cpu_count)
    utsname = field(1, words[0]) + field(3, words[2]) + field(4, words[-1])
    return field(1, utsname) + field(8, trace.recording.cpu_count)


def _process_tree(trace: Trace) -> bytes:
    """The tasks with known names. A task without a saved thread group is treated as a process."""
    found = b""
    for pid, name in sorted(trace.tasks.comms.items()):
        group = trace.tasks.tgid_of(pid) or pid
        if group == pid:
            found += field(1, field(1, pid) + field(3, name))
        found += field(2, field(1, pid) + field(2, name) + field(3, group))
    return found
