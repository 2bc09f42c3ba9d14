# SPDX-License-Identifier: GPL-2.0-only
"""Dynamic ftrace on a guest kernel: what a trace array wants, done at the sites and by the native callbacks."""

from __future__ import annotations

import math
import mmap
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from emu.cpu.cpu import Cpu
from emu.cpu.native import cpu_record
from emu.ftrace import events
from emu.ftrace.arch import FtraceArch
from emu.ftrace.comms import Comms
from emu.ftrace.events import Events, Flag
from emu.ftrace.filters import Functions
from emu.ftrace.native import context, trace_record
from emu.ftrace.native.ring_buffer import DATA_SIZE
from emu.ftrace.patching import PROTOCOLS, Driver, Patch
from emu.ftrace.return_stack import ReturnStacks
from emu.ftrace.ring_buffer import RingBuffer, pages_for
from emu.ftrace.sites import Sites
from emu.ftrace.symbols import KernelSymbols
from emu.ftrace.text import TraceView
from emu.ftrace.trace_array import BufferStats, EnabledFunction, TraceArray
from emu.ftrace.tracers import NOP, OpsKind, Tracer
from emu.kernel.kernel import Kernel
from emu.kernel.modules import Module

__all__ = ["FtraceEngine"]

_FIRST_COMMS = 128
_MAP_NORESERVE = 0x4000  # Linux; Python names it from 3.13 on


class FtraceEngine:
    """Implements `trace_array.Engine` on a kernel that has not been booted yet.

    Args:
        kernel: with its image loaded.
        arch: call sites of its architecture.
        warn: gets a text when tracing had to be stopped.
    """

    def __init__(self, kernel: Kernel, arch: FtraceArch, warn: Callable[[str], None]) -> None:
        self.kernel = kernel
        self.arch = arch
        self.warn = warn
        self.sites = Sites(kernel, arch)
        self.driver = Driver(kernel, arch, self._patching_failed)
        self._protocol = arch.protocols[0]
        self.symbols = KernelSymbols(kernel)
        self._clocks = {
            "local": trace_record.CLOCK_NANOSECONDS,
            "global": trace_record.CLOCK_NANOSECONDS,
            "counter": trace_record.CLOCK_COUNTER,
            arch.cycle_clock: trace_record.CLOCK_CYCLES,
        }
        self.comm_table = Comms(_FIRST_COMMS)
        self.return_stacks = ReturnStacks(kernel, arch)
        self.array: TraceArray | None = None
        self._tracer: Tracer = NOP  # whose callbacks the sites call, while the array may already want another
        self._failed = False
        self.enabled = True
        board = kernel.board
        self.rings = [RingBuffer(cpu.index, 2) for cpu in board.cpus]
        self._shared = np.zeros(trace_record.SHARED_WORDS, np.uint64)
        self._per_cpu = np.zeros((len(board.cpus), trace_record.CPU_WORDS), np.uint64)
        self._nowhere = np.zeros(board.arch.page_size, np.uint8)
        self._pid_flags = np.zeros(trace_record.PID_LIMIT, np.uint8)
        self._irqs_off = board.arch.native().irqs_off
        self.updates = 0  # how often sites were to be brought up to date
        self._fill_records()
        kernel.on_breakpoint = self.driver.on_breakpoint
        kernel.resolve_return = self.return_stacks.resolve
        kernel.on_cpu_online = self._cpu_online
        kernel.on_trace_printk = self._trace_printk
        kernel.on_ftrace_enabled = self._ftrace_enabled
        kernel.on_module = self._module
        kernel.on_module_enable = self._module_enable
        kernel.on_module_free = self._module_free

    def _fill_records(self) -> None:
        """Tells native code where things are."""
        image, board = self.kernel.image, self.kernel.board
        # Modules can be anywhere in the kernel's mapping; what nobody touches of this costs nothing.
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_NORESERVE
        self._site_ops = np.frombuffer(mmap.mmap(-1, board.memory, flags=flags), np.uint8)
        common = math.gcd(10**9, board.frequency)
        for field, value in (
            (trace_record.DIRECT_START, board.arch.direct_map),
            (trace_record.KERNEL_START, board.arch.kernel_map),
            (trace_record.RAM, board.ram_address),
            (trace_record.RAM_SIZE, board.memory - board.arch.page_size),
            (trace_record.NOWHERE, self._nowhere.ctypes.data),
            (trace_record.SITE_OPS, self._site_ops.ctypes.data),
            (trace_record.TEXT_START, board.arch.kernel_map),
            (trace_record.TEXT_SIZE, board.memory),
            (trace_record.RETURN_TRAMPOLINE, image.symbol("return_to_handler")),
            (trace_record.HOT_CURRENT, image.offset("pcpu_hot.current_task")),
            (trace_record.HOT_PREEMPT_COUNT, image.offset("pcpu_hot.preempt_count")),
            (trace_record.COUNT_ENABLED, image.offset("PREEMPT_ENABLED")),
            (trace_record.TASK_PID, image.offset("task_struct.pid")),
            (trace_record.TASK_COMM, image.offset("task_struct.comm")),
            (trace_record.TASK_FLAGS, image.offset("task_struct.thread_info_flags")),
            (trace_record.TASK_STACK_INDEX, image.offset("task_struct.curr_ret_stack")),
            (trace_record.TASK_OVERRUN, image.offset("task_struct.trace_overrun")),
            (trace_record.TASK_TIMESTAMP, image.offset("task_struct.ftrace_timestamp")),
            (trace_record.TASK_STACK, image.offset("task_struct.ret_stack")),
            (trace_record.CLOCK_MULTIPLIER, 10**9 // common),
            (trace_record.CLOCK_DIVISOR, board.frequency // common),
            (trace_record.SLEEP_TIME, 1),
            (trace_record.COMMS, self.comm_table.address),
            (trace_record.READER_VECTOR, image.offset("HOST_DEVICE_VECTOR")),
            (trace_record.PID_FLAGS, self._pid_flags.ctypes.data),
        ):
            self._set(field, value)
        board.dispatch_range(image.symbol("__ftrace_text_start"), image.symbol("__ftrace_text_end"))
        for label, function in self.arch.callbacks().items():
            board.dispatch(image.symbol(label), function)
        for cpu, ring, record in zip(board.cpus, self.rings, self._per_cpu, strict=True):
            record[int(trace_record.RING) // 8] = ring.address
            record[int(trace_record.SHARED) // 8] = self._shared.ctypes.data
            cpu.set(cpu_record.CALLOUT, record.ctypes.data)

    def _set(self, field: np.uint64, value: int | np.uint64) -> None:
        self._shared[int(field) // 8] = np.uint64(int(value) & 0xFFFF_FFFF_FFFF_FFFF)

    def _get(self, field: np.uint64) -> int:
        return int(self._shared[int(field) // 8])

    @property
    def protocol(self) -> str:
        """How sites are changed: one of the architecture's protocols.

        Raises:
            ValueError: (when it is set) the architecture has no such protocol.
        """
        return self._protocol

    @protocol.setter
    def protocol(self, name: str) -> None:
        if name not in self.arch.protocols:
            known = ", ".join(self.arch.protocols)
            raise ValueError(f"{self.kernel.board.arch.name} has no patching protocol '{name}' (it has: {known})")
        self._protocol = name

    def initialise(self) -> None:
        """Turns all sites into nops, before any CPU starts.

        Raises:
            BadImage: a site does not hold what it should.
        """
        self.sites.initialise()

    def _cpu_online(self, cpu: Cpu, hot_area: int) -> None:
        self._per_cpu[cpu.index, int(trace_record.HOT) // 8] = self.kernel.host_address(hot_area)

    def set_enabled(self, on: bool) -> None:
        """`kernel.ftrace_enabled`: if not on, no site calls a tracer, whatever is wanted, until it is on again."""
        self.enabled = on
        self.update()

    def _ftrace_enabled(self, on: bool | None) -> bool | None:
        """The guest's own way to `set_enabled`, and to ask; None while sites are being changed."""
        if on is not None:
            if self.driver.busy:
                return None
            self.set_enabled(on)
            if self.driver.busy:
                return None
        return self.enabled

    # Modules

    def _module(self, module: Module) -> None:
        """A module is being put together: its sites become nops, and can be traced."""
        self.sites.add(module)
        self._sites_changed()

    def _module_enable(self, module: Module) -> bool:
        """Before a module's init runs its sites are what the trace array wants; False while that is being done."""
        if self.driver.busy:
            return False
        if self.array is not None:
            self.array.module_coming(module.name)
        self.update()
        return not self.driver.busy

    def _module_free(self, module: Module, part: range | None) -> bool:
        """Code of a module is going, and its sites with it; False while the sites are being changed."""
        if self.driver.busy:
            return False
        before = self.sites.addresses
        if part is None:
            self.sites.unloaded(module.name)
        else:
            self.sites.remove(part.start, part.stop)
        self._site_ops[self._places(np.setdiff1d(before, self.sites.addresses))] = 0
        self._sites_changed()
        return True

    def _sites_changed(self) -> None:
        if self.array is not None:
            self.array.functions_changed()

    def _places(self, addresses: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        """Where flags of sites are."""
        return (addresses - np.uint64(self.kernel.board.arch.kernel_map)).astype(np.int64)

    # trace_array.Engine

    @property
    def cpus(self) -> int:
        return len(self.kernel.board.cpus)

    @property
    def functions(self) -> Functions:
        return self.sites.functions

    def update(self) -> None:
        """Starts to bring every site to what the trace array wants.

        Another tracer comes only when the old one has left every site and the buffers are empty.
        """
        array = self.array
        self.updates += 1  # (its own comings back, too)
        if array is None or self._failed or self.driver.busy:
            return  # the driver comes back here when it has finished
        if array.tracer is not self._tracer:
            if self._retarget(np.zeros(len(self.sites), np.uint64)):
                return
            self.clear(None)
            self._tracer = array.tracer
        self._set_graph(array)
        self._retarget(np.where(array.wanted_sites() & self.enabled, np.uint64(self._trampoline(self._tracer.ops)), np.uint64(0)))

    def _retarget(self, wanted: npt.NDArray[np.uint64]) -> bool:
        """Starts to have the sites call `wanted`; False if they do already."""
        changed = np.flatnonzero(wanted != self.sites.targets)
        if not len(changed):
            return False
        patches = [
            Patch(
                int(self.sites.addresses[site]),
                self.sites.code(site, int(self.sites.targets[site])),
                self.sites.code(site, int(wanted[site])),
            )
            for site in map(int, changed)
        ]

        def finished() -> None:
            if not self._failed:
                self.sites.targets[changed] = wanted[changed]
            self.update()
            if not self.driver.busy and self.kernel.file_server.waited_for:
                self.kernel.file_server.changed()

        self.driver.start(patches, PROTOCOLS[self._protocol], finished)
        return True

    def _trampoline(self, ops: OpsKind) -> int:
        labels = {OpsKind.ENTRY: "ftrace_caller", OpsKind.GRAPH: "ftrace_graph_caller"}
        return self.kernel.image.symbol(labels[ops]) if ops in labels else 0

    def _set_graph(self, array: TraceArray) -> None:
        """What function_graph asks at every call."""
        self._site_ops[self._places(self.sites.addresses)] = array.graph_function.mask * trace_record.GRAPH_FUNCTION + (
            array.graph_notrace.mask * trace_record.GRAPH_NOTRACE
        )
        self._set(trace_record.ONLY_SELECTED, int(array.graph_function.mask.any()))
        self._set(trace_record.MAX_DEPTH, array.max_graph_depth)
        graph = self._tracer.ops is OpsKind.GRAPH
        if graph and not self._get(trace_record.GRAPH_RUNNING):
            self.return_stacks.start()
        self._set(trace_record.GRAPH_RUNNING, int(graph))

    def set_recording(self, on: bool) -> None:
        if not on:
            self._remember_running()
        for ring in self.rings:
            ring.recording = on and not self._failed

    def set_pids(self, chosen: frozenset[int], excluded: frozenset[int]) -> None:
        self._pid_flags[:] = 0
        for pids, flag in ((chosen, trace_record.PID_CHOSEN), (excluded, trace_record.PID_EXCLUDED)):
            self._pid_flags[[pid for pid in pids if pid < trace_record.PID_LIMIT]] |= flag
        self._set(trace_record.ONLY_CHOSEN, int(bool(chosen)))
        for record in self._per_cpu:
            pid = int(record[int(trace_record.PID) // 8])
            record[int(trace_record.IGNORED) // 8] = (bool(chosen) and pid not in chosen) or pid in excluded

    def option_changed(self, name: str, on: bool) -> None:
        match name:
            case "overwrite":
                for ring in self.rings:
                    ring.overwrite = on
            case "funcgraph-irqs":
                self._set(trace_record.SKIP_INTERRUPTS, int(not on))
            case "sleep-time":
                self._set(trace_record.SLEEP_TIME, int(on))

    def trace_view(self, cpu: int | None) -> TraceView:
        rings = [ring for ring in self.rings if cpu is None or ring.cpu == cpu]
        entries = sum(ring.entries for ring in rings)
        return self._view([ring.unread() for ring in rings], entries, entries + sum(ring.overrun for ring in rings))

    def _view(self, found: list[Events], entries: int, written: int) -> TraceView:
        array = self.array
        assert array is not None
        self._remember_running()
        return TraceView(
            tracer=array.tracer.name,
            events=found,
            entries=entries,
            written=written,
            cpus=self.cpus,
            options=array.options,
            symbols=self.symbols,
            comm_of=self.comm_table.name,
            clock_is_ns=not self.clock_counts(array.clock),
            irq_entry_text=self.symbols.irq_entry_text,
        )

    def pipe_view(self, cpu: int | None) -> tuple[TraceView, Mapping[int, int]]:
        found, limits = [], {}
        for ring in self.rings:
            if cpu is None or ring.cpu == cpu:
                events, limit = ring.peek()
                if limit:
                    found.append(events)
                    limits[ring.cpu] = limit
        return self._view(found, 0, 0), limits

    def consume(self, cpu: int, count: int) -> None:
        self.rings[cpu].discard(count)

    def await_event(self) -> None:
        """The next event that is recorded has the guest ask what can be read."""
        self._set(trace_record.READER_WAITS, 1)

    def wake_readers(self) -> None:
        if self._get(trace_record.READER_WAITS):
            self._set(trace_record.READER_WAITS, 0)
            self.kernel.file_server.changed()

    def clear(self, cpu: int | None) -> None:
        for ring in self.rings:
            if cpu is None or ring.cpu == cpu:
                ring.reset()

    def buffer_stats(self, cpu: int) -> BufferStats:
        ring = self.rings[cpu]
        return BufferStats(
            entries=ring.entries,
            overrun=ring.overrun,
            commit_overrun=0,
            bytes=ring.used_bytes,
            oldest_event=ring.oldest_event,
            now=self._now(self.kernel.board.cpus[cpu]),
            dropped_events=ring.dropped_events,
            read_events=ring.read_events,
        )

    def enabled_functions(self) -> Iterable[EnabledFunction]:
        for site in map(int, np.flatnonzero(self.sites.targets)):
            target = int(self.sites.targets[site])
            yield EnabledFunction(self.sites.functions.label(site), 1, False, self.symbols.describe(target))

    def comms(self) -> Iterable[tuple[int, str]]:
        self._remember_running()
        return iter(self.comm_table)

    @property
    def clock_names(self) -> Sequence[str]:
        return tuple(self._clocks)

    def clock_counts(self, name: str) -> bool:
        return bool(self._clocks[name] != trace_record.CLOCK_NANOSECONDS)

    def set_clock(self, name: str) -> None:
        self._set(trace_record.CLOCK, self._clocks[name])

    def resize(self, kb: int) -> int:
        pages = pages_for(kb * 1024)
        for ring in self.rings:
            ring.resize(pages)
        return pages * DATA_SIZE // 1024

    def resize_comms(self, entries: int) -> None:
        self.comm_table.resize(entries)

    def write_marker(self, text: bytes) -> bool:
        """Recorded where a guest's task writes it; one from outside the guest comes after everything there is."""
        writer = self.kernel.file_server.caller
        cpu = writer or max(self.kernel.board.cpus, key=lambda c: c.cycles)
        context = self._context(cpu) if writer else (0, 0)
        return self._write_print(cpu, context, self.kernel.image.symbol("tracing_mark_write"), text)

    def _trace_printk(self, cpu: Cpu, ip: int, text: bytes, disabled: int) -> None:
        """The guest kernel writes a text from `ip`; while it does, preemption is disabled so many times more."""
        if self.array is not None and self.array.options["trace_printk"]:
            flags, depth = self._context(cpu)
            self._write_print(cpu, (flags, max(depth - disabled, 0)), ip, text)

    def _write_print(self, cpu: Cpu, state: tuple[int, int], ip: int, text: bytes) -> bool:
        task = self.kernel.tasks.current(cpu)
        payload = np.zeros(1, events.PRINT)
        payload["type"] = events.EventType.PRINT
        payload["flags"], payload["preempt_count"] = state
        payload["pid"] = self.kernel.tasks.pid(task)
        payload["ip"] = ip
        self.comm_table.remember(self.kernel.tasks.pid(task), self.kernel.tasks.comm(task))
        written = self.rings[cpu.index].write(self._now(cpu), payload.tobytes() + text + b"\0")
        self.wake_readers()
        return written

    def _context(self, cpu: Cpu) -> tuple[int, int]:
        """The flags and the preemption depth of an event that is recorded on a CPU now."""
        count = self.kernel.member(self.kernel.hot_areas[cpu.index], "pcpu_hot.preempt_count")
        task = self.kernel.tasks.current(cpu)
        need_resched = self.kernel.member(task, "task_struct.thread_info_flags") & int(context.TIF_NEED_RESCHED)
        flags = Flag(0)
        for flag, on in (
            (Flag.IRQS_OFF, self._irqs_off(np.uint64(cpu.env))),
            (Flag.NEED_RESCHED, need_resched),
            (Flag.PREEMPT_RESCHED, (count ^ self._get(trace_record.COUNT_ENABLED)) & int(context.NO_RESCHED)),
            (Flag.HARDIRQ, count & int(context.HARDIRQ)),
            (Flag.SOFTIRQ, count & int(context.SOFTIRQ)),
            (Flag.NMI, count & int(context.NMI)),
            (Flag.BH_OFF, count & int(context.BH_DISABLED)),
        ):
            if on:
                flags |= flag
        return int(flags), min(count & int(context.PREEMPT), int(context.DEEPEST_SHOWN))

    # Endings

    def _now(self, cpu: Cpu) -> int:
        if self._get(trace_record.CLOCK) == int(trace_record.CLOCK_COUNTER):
            count = self._get(trace_record.COUNT) + 1
            self._set(trace_record.COUNT, count)
            return count
        cycles = cpu.cycles
        if self._get(trace_record.CLOCK) == int(trace_record.CLOCK_CYCLES):
            return cycles
        return self.kernel.board.nanoseconds(cycles)

    def _remember_running(self) -> None:
        """Names of tasks that have not been switched out since they were recorded."""
        for index in self.kernel.hot_areas:
            task = self.kernel.tasks.current(self.kernel.board.cpus[index])
            self.comm_table.remember(self.kernel.tasks.pid(task), self.kernel.tasks.comm(task))

    def check(self) -> None:
        """Called between runs: a return that did not match its entry stops the tracer."""
        if self._get(trace_record.MISMATCH):
            self._set(trace_record.MISMATCH, 0)
            frame = self._get(trace_record.MISMATCH_FRAME)
            self._stop(f"function_graph: a return through {frame:#x} has no entry on its task's return stack")

    def _patching_failed(self, what: str) -> None:
        self._stop(what)

    def _stop(self, why: str) -> None:
        """No tracing from here on; what was recorded stays."""
        self._failed = True
        self._set(trace_record.GRAPH_RUNNING, 0)
        for ring in self.rings:
            ring.recording = False
        self.warn(f"{why}; tracing is off")


