# SPDX-License-Identifier: GPL-2.0-only
"""A golden text parsed into events and written to ring buffers, to be printed again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.arrays.options import CORE_OPTIONS
from emu.ftrace.buffers.entries import (
    FUNC_REPEATS,
    FUNCTION,
    KERNEL_STACK,
    PRINT,
    RAW_DATA,
    TASK_SWITCH,
    USER_STACK,
    EventType,
    Flag,
)
from emu.ftrace.buffers.ring_buffer import RingBuffer
from emu.ftrace.event.call import EventCall
from emu.ftrace.symbols import Symbol
from emu.ftrace.text import TraceView
from emu.ftrace.tracers.function_graph import FUNCTION_GRAPH

__all__ = [
    "DEFAULTS", "GoldenSymbols", "RecordBody", "Recording",
    "body_of", "header_of", "record_events", "record_own",
    "record_switch", "state_of",
]  # fmt: skip

DEFAULTS: Mapping[str, bool] = {option.name: option.default for option in (*CORE_OPTIONS, *FUNCTION_GRAPH.options)}

def body_of(text: str) -> list[str]:
    """The lines after the header."""
    return [line for line in text.splitlines() if not line.startswith("#")]


def header_of(text: str) -> str:
    """The header of a trace."""
    return "".join(line for line in text.splitlines(keepends=True) if line.startswith("# "))


class GoldenSymbols:
    """Assigns an address to every name it meets; uses addresses given by the text."""

    def __init__(self) -> None:
        self._symbols: dict[int, Symbol] = {}
        self._addresses: dict[str, int] = {}

    def address_of(self, text: str) -> int:
        """The address for `name` or `name+0x10/0x20`, either possibly followed by ` <ffffffff81000000>`, or for `0x1234`."""
        if text not in self._addresses:
            parts = re.fullmatch(r"(\S+?)(?:\+(\w+)/(\w+))?(?: <([0-9a-f]{16})>)?", text)
            assert parts, text
            name, offset, size, address = parts.groups()
            if name.startswith("0x"):
                return int(name, 16)
            place = int(address, 16) if address else 0xFFFFFFFF81000000 + len(self._addresses) * 16
            self._addresses[text] = place
            self._symbols[place] = Symbol(name, int(offset or "0", 16), int(size or "0", 16))
        return self._addresses[text]

    def put(self, names: Mapping[int, str]) -> None:
        """Adds symbols by address."""
        self._symbols |= {address: Symbol(name, 0, 0) for address, name in names.items()}

    def forget(self, text: str) -> None:
        """Removes the symbol at a text's address."""
        del self._symbols[self._addresses[text]]

    def lookup(self, addresses: NDArray[np.uint64]) -> Sequence[Symbol | None]:
        return [self._symbols.get(address) for address in addresses.tolist()]


class Recording:
    """Ring buffers of some CPUs, and the other data for the text of their events."""

    def __init__(self, cpus: int = 2) -> None:
        self.buffers = [RingBuffer(cpu, 1000) for cpu in range(cpus)]
        self.symbols = GoldenSymbols()
        self.comms: dict[int, str] = {}
        self.tgids: dict[int, int] = {}
        self.strings: dict[int, str] = {}  # the targets of pointers in events
        self.calls: dict[int, EventCall] = {}

    def write(self, cpu: int, time: int, layout: np.dtype[Any], values: Mapping[str, Any], rest: bytes = b"") -> None:
        entry = np.zeros((), layout)
        for name, value in values.items():
            entry[name] = value
        assert self.buffers[cpu].write(time, entry.tobytes() + rest)

    def view(self, tracer: str, options: Iterable[str] = (), header: str = "", **more: Any) -> TraceView:
        """`options` are in the syntax of trace_options; the counts come from the golden header."""
        states = dict(DEFAULTS)
        for option in options:
            off = option.startswith("no") and option not in states
            states[option[2:] if off else option] = not off
        counts = re.search(r"(?:entries-written: |latency: \d+ us, #)(\d+)/(\d+)", header)
        entries, written = map(int, counts.groups()) if counts else (0, 0)
        more.setdefault("events", [buffer.unread() for buffer in self.buffers])
        more.setdefault("calls", self.calls)
        return TraceView(
            tracer=tracer,
            entries=entries,
            written=written,
            cpus=len(self.buffers),
            options=states,
            symbols=self.symbols,
            comm_of=self.comms.get,
            tgid_of=self.tgids.get,
            string_at=self.strings.get,
            **more,
        )


RecordBody = Callable[[Recording, int, int, Mapping[str, int], str], None]  # CPU, time, common fields, text

_NMI_IN_IRQ = Flag.NMI | Flag.HARDIRQ
_FLAGS: Sequence[Mapping[str, int]] = (
    {"d": Flag.IRQS_OFF, "D": Flag.IRQS_OFF | Flag.BH_OFF, "b": Flag.BH_OFF, "X": Flag.IRQS_NOT_KNOWN},
    {"N": Flag.NEED_RESCHED | Flag.PREEMPT_RESCHED, "n": Flag.NEED_RESCHED, "p": Flag.PREEMPT_RESCHED},
    {"h": Flag.HARDIRQ, "s": Flag.SOFTIRQ, "H": Flag.HARDIRQ | Flag.SOFTIRQ, "z": Flag.NMI, "Z": _NMI_IN_IRQ},
)

_EVENT = re.compile(
    r"^ *(?P<comm>\S+)-(?P<pid>\d+) +(?:\((?P<tgid>[ \d-]{7})\) )?\[(?P<cpu>\d+)\]"
    r"(?: (?P<flags>\S{5}))? +(?P<time>\d+(?:\.\d+)?): (?P<body>.*)"
)


def record_events(lines: Iterable[str], record_body: RecordBody | None = None) -> Recording:
    """Records the events in lines of the function tracer, or of none. `record_body` records the part after task and time."""
    recording = Recording()
    record_body = record_body or record_own
    for line in _whole_events(lines):
        parts = re.match(_EVENT, line.replace("\n", "\0"))
        if parts is None:  # without context
            record_body(recording, 0, 0, {}, line)
            continue
        comm, pid, time = parts["comm"], int(parts["pid"]), parts["time"]
        if comm not in ("<...>", "<idle>"):
            recording.comms[pid] = comm
        if (parts["tgid"] or "-").strip().isdigit():
            recording.tgids[pid] = int(parts["tgid"])
        letters = parts["flags"] or "....."
        common = {"pid": pid, **state_of(letters)}
        clock = int(time.replace(".", "")) * 1000 if "." in time else int(time)
        record_body(recording, int(parts["cpu"]), clock, common, parts["body"].replace("\0", "\n"))
    return recording


def state_of(letters: str) -> dict[str, int]:
    """The fields of an entry that are printed as `d.h2.`"""
    flags = sum(bits.get(letter, 0) for bits, letter in zip(_FLAGS, letters, strict=False))
    depths = [int(letter, 16) if letter != "." else 0 for letter in letters[3:]]
    return {"flags": flags, "preempt_count": depths[0] | depths[1] << 4}


def _whole_events(lines: Iterable[str]) -> list[str]:
    """The events, each with all of its lines: in a message of several lines, only the first has a context."""
    events: list[str] = []
    for line in lines:
        if re.match(_EVENT, line) or not events or not re.match(_EVENT, events[0]):
            events.append(line)
        else:
            events[-1] += "\n" + line
    return events


def record_own(recording: Recording, cpu: int, time: int, common: Mapping[str, int], body: str) -> None:
    address_of = recording.symbols.address_of
    if marker := re.fullmatch(r"(tracing_mark_write(?: <\w+>)?): (.*)", body, re.DOTALL):
        values = {**common, "type": EventType.PRINT, "ip": address_of(marker[1])}
        recording.write(cpu, time, PRINT, values, marker[2].encode() + b"\n\0")
    elif raw := re.fullmatch(r"# (\w+) buf: (.*)", body):
        values = {**common, "type": EventType.RAW_DATA, "id": int(raw[1], 16)}
        recording.write(cpu, time, RAW_DATA, values, bytes.fromhex(raw[2]))
    elif body.startswith("<stack trace>"):
        callers = [address_of(caller) for caller in re.findall("^ => (.*)", body, re.MULTILINE)]
        values = {**common, "type": EventType.KERNEL_STACK, "size": len(callers)}
        recording.write(cpu, time, KERNEL_STACK, values, np.array(callers, np.uint64).tobytes())
    elif body.startswith("<user stack trace>"):
        addresses = [int(address, 16) for address in re.findall("^ =>  <(.*)>", body, re.MULTILINE)]
        values = {**common, "type": EventType.USER_STACK, "tgid": recording.tgids.get(common.get("pid", 0), 0)}
        recording.write(cpu, time, USER_STACK, {**values, "caller": [*addresses, *[0] * (8 - len(addresses))]})
    elif repeats := re.fullmatch(r"(.*) <-(.*) \(repeats: (\d+), last_ts: +(\d+)\.(\d+)\)", body):
        ago = time - int(repeats[4] + repeats[5]) * 1000
        values = {"ip": address_of(repeats[1]), "parent_ip": address_of(repeats[2]), "count": int(repeats[3])}
        values |= {"top_delta_ts": ago >> 32, "bottom_delta_ts": ago & 0xFFFFFFFF, "type": EventType.FUNC_REPEATS}
        recording.write(cpu, time, FUNC_REPEATS, {**common, **values})
    elif not record_switch(recording, cpu, time, common, body):
        name, _, parent = body.partition(" <-")
        values = {"ip": address_of(name) if name != "0" else 0, "parent_ip": address_of(parent) if parent else 0}
        recording.write(cpu, time, FUNCTION, {**common, "type": EventType.FUNCTION, **values})


_SWITCH = re.compile(
    r" +(?P<prev_pid>\d+): *(?P<prev_prio>\d+):(?P<prev_state>\w) (?P<arrow>==>|  \+) \[(?P<next_cpu>\d+)\]"
    r" +(?P<next_pid>\d+): *(?P<next_prio>\d+):(?P<next_state>\w) (?P<comm>.*)"
)


def record_switch(recording: Recording, cpu: int, time: int, common: Mapping[str, int], body: str) -> bool:
    """Records a wakeup tracer's event about two tasks. Returns whether `body` is one."""
    if not (parts := re.fullmatch(_SWITCH, body)):
        return False
    kind = EventType.WAKEUP if "+" in parts["arrow"] else EventType.CONTEXT_SWITCH
    numbers = {name: int(parts[name]) for name in ("prev_pid", "prev_prio", "next_pid", "next_prio", "next_cpu")}
    states = {name: "RSDTtXZPI".index(parts[name]) for name in ("prev_state", "next_state")}
    recording.comms[numbers["next_pid"]] = parts["comm"]
    recording.write(cpu, time, TASK_SWITCH, {**common, "type": kind, **numbers, **states})
    return True
