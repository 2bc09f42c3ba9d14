# SPDX-License-Identifier: GPL-2.0-only
"""What records and keeps the events of one trace array: ring buffers, and the records that tell native code about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from emu.cpu.far_memory import far_memory
from emu.ftrace import events
from emu.ftrace.events import Events
from emu.ftrace.filters import Functions, SiteMask
from emu.ftrace.native import array_cpu_record, array_record
from emu.ftrace.native.ring_buffer import DATA_SIZE
from emu.ftrace.ring_buffer import RingBuffer, pages_for
from emu.ftrace.text import TraceView
from emu.ftrace.trace_array import BufferStats, EnabledFunction, Pids, TraceArray
from emu.ftrace.tracers import NOP, OpsKind, Tracer
from emu.native.record import Record

if TYPE_CHECKING:
    from emu.cpu.cpu import Cpu
    from emu.ftrace.engine import FtraceEngine

__all__ = ["Recorder"]

_PID_FLAGS = (array_record.PID_CHOSEN, array_record.PID_EXCLUDED)


class Recorder:
    """Implements `trace_array.Engine` for one trace array, of which the engine can have several.

    Attributes:
        array: what is wanted; None until there is one.
        tracer: whose callbacks the sites call, while the array may already want another.
    """

    def __init__(self, engine: FtraceEngine) -> None:
        self._engine = engine
        board = engine.kernel.board
        self.array: TraceArray | None = None
        self.tracer: Tracer = NOP
        self.rings = [RingBuffer(cpu.index, 2) for cpu in board.cpus]
        self._recording = True
        self._cpus = frozenset(range(len(board.cpus)))  # that may record
        self._pids: tuple[bool, bool] = (False, False)  # whether there is a list of chosen ones, and of excluded ones
        self._pid_flags = np.zeros(array_record.PID_LIMIT, np.uint8)
        # Modules can be anywhere in the kernel's mapping; what nobody touches of this costs nothing.
        self._site_flags = np.frombuffer(far_memory(board.memory), np.uint8)
        self._record = Record(array_record.WORDS)
        self._cpu_records = [Record(array_cpu_record.WORDS) for _ in board.cpus]
        for field, value in engine.guest_words():
            self.set_word(field, value)
        self.set_word(array_record.SITE_OPS, self._site_flags.ctypes.data)
        self.set_word(array_record.PID_FLAGS, self._pid_flags.ctypes.data)
        self.set_word(array_record.SLEEP_TIME, 1)
        self.set_word(array_record.RECORDING, 1)
        for index, ring in enumerate(self.rings):
            self.set_cpu_word(index, array_cpu_record.RING, ring.record.address)
            self.set_cpu_word(index, array_cpu_record.ARRAY, self._record.address)

    # What native code is told

    def set_word(self, field: np.uint64, value: int | np.uint64) -> None:
        """Of the record for all CPUs."""
        self._record.set(field, value)

    def word(self, field: np.uint64) -> int:
        return self._record.get(field)

    def set_cpu_word(self, cpu: int, field: np.uint64, value: int) -> None:
        """Of the record for one CPU."""
        self._cpu_records[cpu].set(field, value)

    def cpu_word(self, cpu: int, field: np.uint64) -> int:
        return self._cpu_records[cpu].get(field)

    def cpu_record(self, cpu: int) -> int:
        """The address of the record for one CPU."""
        return self._cpu_records[cpu].address

    def adopt(self) -> None:
        """The old tracer has left every site: from here on it is the one that the array wants."""
        assert self.array is not None
        self.clear(None)
        self.tracer = self.array.tracer

    def refresh(self, places: npt.NDArray[np.int64]) -> SiteMask:
        """Takes over the array's filters, and returns the sites that are to call. `places`: where the flags of each are."""
        array = self.array
        assert array is not None
        wanted = array.wanted_sites()
        self._site_flags[places] = (
            array.graph_function.mask * array_record.GRAPH_FUNCTION
            + array.graph_notrace.mask * array_record.GRAPH_NOTRACE
            + (wanted & (self.tracer.ops is OpsKind.ENTRY)) * array_record.TRACED
            + array.probes.switching(self.functions, on=True) * array_record.TURNS_ON
            + array.probes.switching(self.functions, on=False) * array_record.TURNS_OFF
        )
        self.set_word(array_record.ONLY_SELECTED, int(array.graph_function.mask.any()))
        self.set_word(array_record.MAX_DEPTH, array.max_graph_depth)
        self.set_word(array_record.THRESHOLD, array.threshold_us * 1000)
        graph = self.tracer.ops is OpsKind.GRAPH
        if graph and not self.word(array_record.GRAPH_RUNNING):
            self._engine.return_stacks.start()
        self.set_word(array_record.GRAPH_RUNNING, int(graph))
        return wanted

    def forget_sites(self, places: npt.NDArray[np.int64]) -> None:
        """Nothing is wanted any more where these sites were."""
        self._site_flags[places] = 0

    def stop(self) -> None:
        """The engine has failed: no tracing from here on; what was recorded stays."""
        self.set_word(array_record.GRAPH_RUNNING, 0)
        self._switch_rings()

    # trace_array.Engine

    @property
    def cpus(self) -> int:
        return len(self.rings)

    @property
    def functions(self) -> Functions:
        return self._engine.sites.functions

    def attach(self, array: TraceArray) -> None:
        self.array = array

    def divide(self) -> Recorder:
        return self._engine.add_recorder()

    def close(self) -> None:
        self._engine.remove_recorder(self)

    def update(self) -> None:
        self._engine.update()

    def set_recording(self, on: bool) -> None:
        self._recording = on
        self.set_word(array_record.RECORDING, int(on))
        if not on:
            self._engine.remember_running()
        self._switch_rings()

    def set_cpus(self, cpus: frozenset[int]) -> None:
        self._cpus = cpus
        self._switch_rings()

    def _switch_rings(self) -> None:
        for ring in self.rings:
            ring.recording = self._recording and ring.cpu in self._cpus and not self._engine.failed

    def pids(self) -> tuple[Pids, Pids]:
        chosen, excluded = (
            frozenset(np.flatnonzero(self._pid_flags & flag).tolist()) if there else None
            for there, flag in zip(self._pids, _PID_FLAGS, strict=True)
        )
        return chosen, excluded

    def set_pids(self, chosen: Pids, excluded: Pids) -> None:
        self._pids = (chosen is not None, excluded is not None)
        self._pid_flags[:] = 0
        for pids, flag in zip((chosen, excluded), _PID_FLAGS, strict=True):
            self._pid_flags[[pid for pid in pids or () if pid < array_record.PID_LIMIT]] |= flag
        self.set_word(array_record.ONLY_CHOSEN, int(chosen is not None))
        for record in self._cpu_records:
            pid = record.get(array_cpu_record.PID)
            ignored = (chosen is not None and pid not in chosen) or (excluded is not None and pid in excluded)
            record.set(array_cpu_record.IGNORED, ignored)

    def option_changed(self, name: str, on: bool) -> None:
        match name:
            case "overwrite":
                for ring in self.rings:
                    ring.overwrite = on
            case "funcgraph-irqs":
                self.set_word(array_record.SKIP_INTERRUPTS, int(not on))
            case "sleep-time":
                self.set_word(array_record.SLEEP_TIME, int(on))
            case "function-fork":
                self.set_word(array_record.FOLLOW_FORK, int(on))

    def _rings_of(self, cpu: int | None) -> list[RingBuffer]:
        return self.rings if cpu is None else [self.rings[cpu]]

    def trace_view(self, cpu: int | None) -> TraceView:
        rings = self._rings_of(cpu)
        entries = sum(ring.entries for ring in rings)
        return self._view([ring.unread() for ring in rings], entries, entries + sum(ring.overrun for ring in rings))

    def _view(self, found: list[Events], entries: int, written: int) -> TraceView:
        engine, array = self._engine, self.array
        assert array is not None
        engine.remember_running()
        return TraceView(
            tracer=array.tracer.name,
            events=found,
            entries=entries,
            written=written,
            cpus=self.cpus,
            options=array.options,
            symbols=engine.symbols,
            comm_of=engine.comm_table.name,
            clock_is_ns=not self.clock_counts(array.clock),
            irq_entry_text=engine.symbols.irq_entry_text,
        )

    def pipe_view(self, cpu: int | None) -> tuple[TraceView, Mapping[int, int]]:
        found, limits = [], {}
        for ring in self._rings_of(cpu):
            events, limit = ring.peek()
            if limit:
                found.append(events)
                limits[ring.cpu] = limit
        return self._view(found, 0, 0), limits

    def consume(self, cpu: int, count: int) -> None:
        self.rings[cpu].discard(count)

    def read_page(self, cpu: int) -> bytes | None:
        page = self.rings[cpu].read_page()
        return None if page is None else page.tobytes()

    def await_event(self) -> None:
        self.set_word(array_record.READER_WAITS, 1)

    def wake_readers(self) -> None:
        if self.word(array_record.READER_WAITS):
            self.set_word(array_record.READER_WAITS, 0)
            self._engine.kernel.file_server.changed()

    def clear(self, cpu: int | None) -> None:
        for ring in self._rings_of(cpu):
            ring.reset()

    def buffer_stats(self, cpu: int) -> BufferStats:
        ring = self.rings[cpu]
        return BufferStats(
            entries=ring.entries,
            overrun=ring.overrun,
            commit_overrun=0,
            bytes=ring.used_bytes,
            oldest_event=ring.oldest_event,
            now=self._now(self._engine.kernel.board.cpus[cpu]),
            dropped_events=ring.dropped_events,
            read_events=ring.read_events,
        )

    def enabled_functions(self) -> Iterable[EnabledFunction]:
        return self._engine.enabled_functions()

    def comms(self) -> Iterable[tuple[int, str]]:
        self._engine.remember_running()
        return iter(self._engine.comm_table)

    @property
    def clock_names(self) -> Sequence[str]:
        return tuple(self._engine.clocks)

    def clock_counts(self, name: str) -> bool:
        return bool(self._engine.clocks[name].source != array_record.CLOCK_NANOSECONDS)

    def set_clock(self, name: str) -> None:
        clock = self._engine.clocks[name]
        self.set_word(array_record.CLOCK, clock.source)
        self.set_word(array_record.CLOCK_OFFSET, clock.offset)

    def resize(self, kb: int, cpu: int | None = None) -> int:
        pages = pages_for(kb * 1024)
        before: list[tuple[RingBuffer, int]] = []
        try:
            for ring in self._rings_of(cpu):
                before.append((ring, ring.pages))
                ring.resize(pages)
        except MemoryError:
            for ring, old in before:
                ring.resize(old)
            raise
        return pages * DATA_SIZE // 1024

    def resize_comms(self, entries: int) -> None:
        self._engine.comm_table.resize(entries)

    def write_marker(self, text: bytes) -> bool:
        ip = np.uint64(self._engine.kernel.image.symbol("tracing_mark_write"))
        return self._write_from_guest(events.EventType.PRINT, ip.tobytes() + text)

    def write_raw(self, data: bytes) -> bool:
        return self._write_from_guest(events.EventType.RAW_DATA, data)

    def _write_from_guest(self, kind: events.EventType, data: bytes) -> bool:
        """Recorded where a guest's task writes it; an event from outside the guest comes after everything there is."""
        kernel = self._engine.kernel
        writer = kernel.file_server.caller
        cpu = writer or max(kernel.board.cpus, key=lambda c: c.cycles)
        return self.write_event(cpu, kind, self._engine.state_of(cpu) if writer else (0, 0), data)

    def write_event(self, cpu: Cpu, kind: events.EventType, state: tuple[int, int], data: bytes) -> bool:
        """Records an event on a CPU. `state`: its flags and preemption depth. False: nothing is recorded now."""
        tasks = self._engine.kernel.tasks
        task = tasks.current(cpu)
        entry = np.zeros(1, events.ENTRY)
        entry["type"] = kind
        entry["flags"], entry["preempt_count"] = state
        entry["pid"] = tasks.pid(task)
        self._engine.comm_table.remember(tasks.pid(task), tasks.comm(task))
        written = self.rings[cpu.index].write(self._now(cpu), entry.tobytes() + data)
        self.wake_readers()
        return written

    def _now(self, cpu: Cpu) -> int:
        clock = np.uint64(self.word(array_record.CLOCK))
        if clock == array_record.CLOCK_COUNTER:
            self._engine.counter[0] += np.uint64(1)
            return int(self._engine.counter[0])
        if clock == array_record.CLOCK_CYCLES:
            return cpu.cycles
        nanoseconds = self._engine.kernel.board.nanoseconds(cpu.cycles)
        if clock == array_record.CLOCK_TICKS:
            return nanoseconds // int(array_record.TICK)
        return nanoseconds + self.word(array_record.CLOCK_OFFSET)
