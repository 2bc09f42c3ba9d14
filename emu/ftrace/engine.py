# SPDX-License-Identifier: GPL-2.0-only
"""Dynamic ftrace on a guest kernel: what the trace arrays want, done at the sites and by the native callbacks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from emu.cpu.cpu import Cpu
from emu.cpu.native import cpu_record
from emu.ftrace.arch import FtraceArch
from emu.ftrace.comms import Comms
from emu.ftrace.events import EventType, Flag
from emu.ftrace.native import context, trace_record
from emu.ftrace.patching import PROTOCOLS, Driver, Patch
from emu.ftrace.recorder import Recorder
from emu.ftrace.return_stack import ReturnStacks
from emu.ftrace.ring_buffer import RingBuffer
from emu.ftrace.sites import Sites
from emu.ftrace.symbols import KernelSymbols
from emu.ftrace.trace_array import EnabledFunction, TraceArray
from emu.ftrace.tracers import OpsKind
from emu.kernel.kernel import Kernel
from emu.kernel.modules import Module

__all__ = ["FtraceEngine"]

_FIRST_COMMS = 128


class Clock(NamedTuple):
    """A trace clock: what native code takes it from, and where it starts."""

    source: np.uint64
    offset: int = 0


class FtraceEngine:
    """Traces a kernel that has not been booted yet, for any number of trace arrays.

    Args:
        kernel: with its image loaded.
        arch: call sites of its architecture.
        warn: gets a text when tracing had to be stopped.

    Attributes:
        top: the recorder of the top array, which has been there from the beginning.
        failed: tracing had to be stopped.
        updates: how often sites were to be brought up to date.
    """

    def __init__(self, kernel: Kernel, arch: FtraceArch, warn: Callable[[str], None]) -> None:
        self.kernel = kernel
        self.arch = arch
        self.warn = warn
        self.sites = Sites(kernel, arch)
        self.driver = Driver(kernel, arch, self._stop)
        self._protocol = arch.protocols[0]
        self.symbols = KernelSymbols(kernel)
        since_boot = Clock(trace_record.CLOCK_NANOSECONDS)
        self.clocks = {
            "local": since_boot,
            "global": since_boot,
            "counter": Clock(trace_record.CLOCK_COUNTER),
            "uptime": Clock(trace_record.CLOCK_TICKS),
            "perf": since_boot,
            "mono": since_boot,
            "mono_raw": since_boot,
            "boot": since_boot,
            "tai": Clock(trace_record.CLOCK_NANOSECONDS, kernel.image.constant("WALL_CLOCK_AT_BOOT") * 10**9),
            arch.cycle_clock: Clock(trace_record.CLOCK_CYCLES),
        }
        self.counter = np.zeros(1, np.uint64)  # of the clock of this name
        self.comm_table = Comms(_FIRST_COMMS)
        self.return_stacks = ReturnStacks(kernel, arch)
        self.failed = False
        self.enabled = True
        self.updates = 0
        self._nowhere = np.zeros(kernel.board.arch.page_size, np.uint8)
        self._irqs_off = kernel.board.arch.native().irqs_off
        self.top = Recorder(self)
        self._recorders = [self.top]
        self._set_up_board()

    def guest_words(self) -> Sequence[tuple[np.uint64, int]]:
        """What native code is told of the guest, in every array's record."""
        image, board = self.kernel.image, self.kernel.board
        common = math.gcd(10**9, board.frequency)
        return (
            (trace_record.DIRECT_START, board.arch.direct_map),
            (trace_record.KERNEL_START, board.arch.kernel_map),
            (trace_record.RAM, board.ram_address),
            (trace_record.RAM_SIZE, board.memory - board.arch.page_size),
            (trace_record.NOWHERE, self._nowhere.ctypes.data),
            (trace_record.TEXT_START, board.arch.kernel_map),
            (trace_record.TEXT_SIZE, board.memory),
            (trace_record.RETURN_TRAMPOLINE, image.symbol("return_to_handler")),
            (trace_record.HOT_CURRENT, image.offset("pcpu_hot.current_task")),
            (trace_record.HOT_PREEMPT_COUNT, image.offset("pcpu_hot.preempt_count")),
            (trace_record.COUNT_ENABLED, image.constant("PREEMPT_ENABLED")),
            (trace_record.TASK_PID, image.offset("task_struct.pid")),
            (trace_record.TASK_COMM, image.offset("task_struct.comm")),
            (trace_record.TASK_FLAGS, image.offset("task_struct.thread_info_flags")),
            (trace_record.TASK_STACK_INDEX, image.offset("task_struct.curr_ret_stack")),
            (trace_record.TASK_OVERRUN, image.offset("task_struct.trace_overrun")),
            (trace_record.TASK_TIMESTAMP, image.offset("task_struct.ftrace_timestamp")),
            (trace_record.TASK_STACK, image.offset("task_struct.ret_stack")),
            (trace_record.CLOCK_MULTIPLIER, 10**9 // common),
            (trace_record.CLOCK_DIVISOR, board.frequency // common),
            (trace_record.COUNTER, self.counter.ctypes.data),
            (trace_record.COMMS, self.comm_table.address),
            (trace_record.READER_VECTOR, image.constant("HOST_DEVICE_VECTOR")),
        )

    def _set_up_board(self) -> None:
        """Has the board call native code at the kernel's labels."""
        image, board = self.kernel.image, self.kernel.board
        board.dispatch_range(image.symbol("__ftrace_text_start"), image.symbol("__ftrace_text_end"))
        for label, function in self.arch.callbacks().items():
            board.dispatch(image.symbol(label), function)
        for cpu in board.cpus:
            cpu.set(cpu_record.CALLOUT, self.top.cpu_record(cpu.index))

    @property
    def rings(self) -> list[RingBuffer]:
        """The top array's ring buffers."""
        return self.top.rings

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

    def breakpoint(self, cpu: Cpu, registers: int) -> bool:
        return self.driver.on_breakpoint(cpu, registers)

    def resolve_return(self, task: int, frame: int, address: int) -> int:
        return self.return_stacks.resolve(task, frame, address)

    def cpu_online(self, cpu: Cpu, hot_area: int) -> None:
        for recorder in self._recorders:
            recorder.set_cpu_word(cpu.index, trace_record.HOT, self.kernel.memory.host_address(hot_area))

    # Trace arrays

    def add_recorder(self) -> Recorder:
        """For one array more; the tasks that run now are known to it."""
        recorder = Recorder(self)
        for index, hot_area in self.kernel.hot_areas.items():
            task = self.kernel.tasks.current(self.kernel.board.cpus[index])
            recorder.set_cpu_word(index, trace_record.HOT, self.kernel.memory.host_address(hot_area))
            recorder.set_cpu_word(index, trace_record.PID, self.kernel.tasks.pid(task))
        self._recorders.append(recorder)
        self._link()
        return recorder

    def remove_recorder(self, recorder: Recorder) -> None:
        """Its array is gone. Sites that it alone wanted call nobody until they have been patched."""
        self._recorders.remove(recorder)
        self._link()
        self.update()

    def _link(self) -> None:
        """Native code finds the records of a CPU from the top array's on."""
        for cpu in self.kernel.board.cpus:
            for recorder, following in zip(self._recorders, [*self._recorders[1:], None], strict=True):
                address = 0 if following is None else following.cpu_record(cpu.index)
                recorder.set_cpu_word(cpu.index, trace_record.NEXT, address)

    @property
    def _arrays(self) -> list[TraceArray]:
        return [recorder.array for recorder in self._recorders if recorder.array is not None]

    def set_enabled(self, on: bool) -> None:
        """`kernel.ftrace_enabled`: if not on, no site calls a tracer, whatever is wanted, until it is on again."""
        self.enabled = on
        self.update()

    def ftrace_enabled(self, on: bool | None) -> bool | None:
        """The guest's own way to `set_enabled`, and to ask; None while sites are being changed."""
        if on is not None:
            if self.driver.busy:
                return None
            self.set_enabled(on)
            if self.driver.busy:
                return None
        return self.enabled

    # Modules

    def module_init(self, module: Module) -> None:
        """A module is being put together: its sites become nops, and can be traced."""
        self.sites.add(module)
        self._sites_changed()

    def module_enable(self, module: Module) -> bool:
        """Before a module's init runs its sites are what the trace arrays want; False while that is being done."""
        if self.driver.busy:
            return False
        for array in self._arrays:
            array.module_coming(module.name)
        self.update()
        return not self.driver.busy

    def module_free(self, module: Module, part: range | None) -> bool:
        """Code of a module is going, and its sites with it; False while the sites are being changed."""
        if self.driver.busy:
            return False
        before = self.sites.addresses
        if part is None:
            self.sites.unloaded(module.name)
        else:
            self.sites.remove(part.start, part.stop)
        gone = self._places(np.setdiff1d(before, self.sites.addresses))
        for recorder in self._recorders:
            recorder.forget_sites(gone)
        self._sites_changed()
        return True

    def _sites_changed(self) -> None:
        for array in self._arrays:
            array.functions_changed()

    def _places(self, addresses: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        """Where flags of sites are."""
        return (addresses - np.uint64(self.kernel.board.arch.kernel_map)).astype(np.int64)

    # Sites

    def update(self) -> None:
        """Starts to bring every site to what the trace arrays want.

        Another tracer comes to an array only when the old one has left every site and its buffers are empty.
        """
        self.updates += 1  # (its own comings back, too)
        if self.failed or self.driver.busy:
            return  # the driver comes back here when it has finished
        recorders = [recorder for recorder in self._recorders if recorder.array is not None]
        changing = [recorder for recorder in recorders if recorder.array and recorder.array.tracer is not recorder.tracer]
        if changing:
            if self._retarget([recorder for recorder in recorders if recorder not in changing]):
                return
            for recorder in changing:
                recorder.adopt()
        if not self._retarget(recorders):
            self._ask_each(self._several(recorders))

    def _several(self, recorders: Iterable[Recorder]) -> bool:
        """Whether sites call for anything else than the top array's tracer."""
        return any(
            bool(recorder.array and recorder.array.probes) or (recorder is not self.top and recorder.tracer.ops is OpsKind.ENTRY)
            for recorder in recorders
        )

    def _retarget(self, recorders: Sequence[Recorder]) -> bool:
        """Starts to have the sites call what these want, and nothing else; False if they do already."""
        wanted = np.zeros(len(self.sites), np.uint64)
        places = self._places(self.sites.addresses)
        chosen = [(recorder.tracer.ops, recorder.refresh(places)) for recorder in recorders if self.enabled]
        for array in self._arrays if self.enabled else ():
            chosen.append((OpsKind.ENTRY, array.probes.sites(self.sites.functions)))
        for label, kind in (("ftrace_caller", OpsKind.ENTRY), ("ftrace_graph_caller", OpsKind.GRAPH)):
            for ops, sites in chosen:
                if ops is kind:
                    wanted[sites] = self.kernel.image.symbol(label)
        # Before a site calls for it. As long as one may, each array's own flags are asked.
        if self._several(recorders):
            self._ask_each(True)
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
            if not self.failed:
                self.sites.targets[changed] = wanted[changed]
            self.update()
            if not self.driver.busy and self.kernel.file_server.waited_for:
                self.kernel.file_server.changed()

        self.driver.start(patches, PROTOCOLS[self._protocol], finished)
        return True

    def _ask_each(self, each: bool) -> None:
        for cpu in self.kernel.board.cpus:
            self.top.set_cpu_word(cpu.index, trace_record.ASK_EACH, int(each))

    def enabled_functions(self) -> Iterable[EnabledFunction]:
        """The sites that call somebody, and for how many arrays."""
        users = np.sum([array.wanted_sites() + array.probes.users(self.sites.functions) for array in self._arrays], axis=0)
        for site in map(int, np.flatnonzero(self.sites.targets)):
            callback = self.symbols.describe(int(self.sites.targets[site]))
            yield EnabledFunction(self.sites.functions.label(site), max(int(users[site]), 1), False, callback)

    # Events that the host records, and the names of tasks

    def trace_printk(self, cpu: Cpu, ip: int, text: bytes, disabled: int) -> None:
        """The guest kernel writes a text from `ip`; while it does, preemption is disabled so many times more."""
        array = self.top.array
        if array is not None and array.options["trace_printk"]:
            flags, depth = self.state_of(cpu)
            data = np.uint64(ip).tobytes() + text + b"\0"
            self.top.write_event(cpu, EventType.PRINT, (flags, max(depth - disabled, 0)), data)

    def state_of(self, cpu: Cpu) -> tuple[int, int]:
        """The flags and the preemption depth of an event that is recorded on a CPU now."""
        count = self.kernel.memory.member(self.kernel.hot_areas[cpu.index], "pcpu_hot.preempt_count")
        task = self.kernel.tasks.current(cpu)
        need_resched = self.kernel.memory.member(task, "task_struct.thread_info_flags") & int(context.TIF_NEED_RESCHED)
        flags = Flag(0)
        for flag, on in (
            (Flag.IRQS_OFF, self._irqs_off(np.uint64(cpu.env))),
            (Flag.NEED_RESCHED, need_resched),
            (Flag.PREEMPT_RESCHED, (count ^ self.kernel.image.constant("PREEMPT_ENABLED")) & int(context.NO_RESCHED)),
            (Flag.HARDIRQ, count & int(context.HARDIRQ)),
            (Flag.SOFTIRQ, count & int(context.SOFTIRQ)),
            (Flag.NMI, count & int(context.NMI)),
            (Flag.BH_OFF, count & int(context.BH_DISABLED)),
        ):
            if on:
                flags |= flag
        return int(flags), min(count & int(context.PREEMPT), int(context.DEEPEST_SHOWN))

    def remember_running(self) -> None:
        """Names of tasks that have not been switched out since they were recorded."""
        for index in self.kernel.hot_areas:
            if not any(recorder.cpu_word(index, trace_record.RECORDED) for recorder in self._recorders):
                continue
            task = self.kernel.tasks.current(self.kernel.board.cpus[index])
            self.comm_table.remember(self.kernel.tasks.pid(task), self.kernel.tasks.comm(task))

    # Endings

    def check(self) -> None:
        """Called between runs: a function may turn tracing on or off, a return that did not match its entry stops the tracer."""
        for recorder in self._recorders:
            if site := recorder.word(trace_record.SWITCH):
                recorder.set_word(trace_record.SWITCH, 0)
                if recorder.array is not None:
                    recorder.array.function_called(int(np.flatnonzero(self.sites.addresses == np.uint64(site))[0]))
        if self.top.word(trace_record.MISMATCH):
            self.top.set_word(trace_record.MISMATCH, 0)
            frame = self.top.word(trace_record.MISMATCH_FRAME)
            self._stop(f"function_graph: a return through {frame:#x} has no entry on its task's return stack")

    def _stop(self, why: str) -> None:
        """No tracing from here on; what was recorded stays."""
        self.failed = True
        for recorder in self._recorders:
            recorder.stop()
        self.warn(f"{why}; tracing is off")
