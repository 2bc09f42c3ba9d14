# SPDX-License-Identifier: GPL-2.0-only
"""A Linux, as tracing sees it (emu.ftrace.guest.traced_kernel.TracedKernel): its tasks, its names, its log."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from emu.cpu.board import Board
from emu.cpu.cpu import Cpu
from emu.ftrace.native.guest_records import Guest, Hot, Task
from emu.ftrace.symbols import Symbol
from emu.kernel.image import Symbol as KernelSymbol
from emu.kernel.kernel_log import Level
from emu.linux.memory import LinuxMemory
from emu.linux.modules import Module, ModuleSymbols
from emu.linux.symbols import Symbols

__all__ = ["LinuxKernel", "LinuxLog", "LinuxNames", "LinuxTasks"]

_CODE_SPAN = 2 << 30  # from the kernel mapping's beginning to the end of memory, with the modules between


class LinuxTasks:
    """The tasks, by their addresses.

    Args:
        memory: the kernel's memory.
        guest: the layout of its structures.
        hot_areas: the address of each CPU's per-CPU area, by CPU index, as far as the kernel uses the CPU.
    """

    def __init__(self, memory: LinuxMemory, guest: Guest, hot_areas: Mapping[int, int]) -> None:
        self._memory, self._layouts, self._hot_areas = memory, guest.layouts, hot_areas

    def find_current(self, cpu: Cpu) -> int | None:
        """The task on a CPU; None if the kernel does not use the CPU yet."""
        return self.running().get(cpu.index)

    def current(self, cpu: Cpu) -> int:
        """The same. Raises LookupError if there is none."""
        return self._current(cpu.index)

    def running(self) -> Mapping[int, int]:
        """The tasks on the CPUs that the kernel uses, by CPU index."""
        return {index: task for index in self._hot_areas if (task := self._current(index))}

    def _current(self, index: int) -> int:
        return Hot(self._memory.host_address(self._hot_areas[index]), self._layouts).current_task

    def task(self, task: int) -> Task:
        """A task's structure, in the host's memory."""
        return Task(self._memory.host_address(task), self._layouts)

    def pid(self, task: int) -> int:
        return self.task(task).pid

    def tgid(self, task: int) -> int:
        """The pid of the thread group's leader."""
        return self.task(task).tgid

    def comm(self, task: int) -> str:
        """The task's name."""
        name = ctypes.string_at(self.task(task).comm.address, 16)
        return name.split(b"\0")[0].decode(errors="replace")


class LinuxNames:
    """The names of the kernel's and the modules' functions and variables. Those of modules that are gone stay: a trace is often
    read later.

    Args:
        symbols: the kernel's.

    Attributes:
        irq_entry_text: the addresses of the interrupt entry functions.
    """

    def __init__(self, symbols: Symbols) -> None:
        self._symbols = symbols
        start, end = (symbols.address(f"__irqentry_text_{end}") or 0 for end in ("start", "end"))
        self.irq_entry_text = range(start, end)
        first = symbols.addresses >= np.uint64(symbols.address("_stext") or 0)
        self._starts, places = np.unique(symbols.addresses[first], return_index=True)
        self._places = np.flatnonzero(first)[places]
        self._modules: dict[str, Module] = {}  # the latest first

    def add(self, module: Module) -> None:
        """A module has been loaded, perhaps where another one was."""
        self._modules = {module.name: module} | {name: old for name, old in self._modules.items() if name != module.name}

    def __iter__(self) -> Iterator[tuple[KernelSymbol, str]]:
        ends = [*self._starts[1:].tolist(), int(self._starts[-1])]
        for start, end, place in zip(self._starts.tolist(), ends, self._places.tolist(), strict=True):
            yield KernelSymbol(self._symbols.names[place], start, end - start), ""
        for module in self._modules.values():
            for address, name in zip(module.symbols.addresses.tolist(), module.symbols.names, strict=True):
                yield KernelSymbol(name, address, 0), module.name

    def lines(self) -> Iterator[tuple[int, str, str, str]]:
        """Those of /proc/kallsyms: address, type, name and module ("" for the kernel)."""
        tables: list[tuple[str, Symbols | ModuleSymbols]] = [("", self._symbols)]
        tables += [(module.name, module.symbols) for module in self._modules.values()]
        for module, table in tables:
            kinds = bytes(table.types).decode("latin-1")
            for address, kind, name in zip(table.addresses.tolist(), kinds, table.names, strict=True):
                yield address, kind, name, module

    def lookup(self, addresses: NDArray[np.uint64]) -> Sequence[Symbol | None]:
        """The symbol at each address; None if there is none."""
        found = np.searchsorted(self._starts, addresses, "right") - 1
        return [self._at(address, index) for address, index in zip(addresses.tolist(), found.tolist(), strict=True)]

    def _at(self, address: int, index: int) -> Symbol | None:
        if 0 <= index < len(self._starts) - 1:
            start, end = int(self._starts[index]), int(self._starts[index + 1])
            return Symbol(self._symbols.names[int(self._places[index])], address - start, end - start)
        for module in self._modules.values():
            if (known := module.at(address)) is not None:
                return Symbol(known[0], known[1], module.end_of(address) - (address - known[1]), module.name)
        return None

    def function(self, which: str | int) -> range | None:
        """The addresses of a function, given by name or by an address in it; None if there is none."""
        address = which if isinstance(which, int) else self.address(which)
        if address is None:
            return None
        (symbol,) = self.lookup(np.array([address], np.uint64))
        return None if symbol is None else range(address - symbol.offset, address - symbol.offset + symbol.size)

    def address(self, name: str) -> int | None:
        """The address of a symbol of the kernel, or otherwise of a module; None if there is none."""
        if (found := self._symbols.address(name)) is not None:
            return found
        for module in self._modules.values():
            if name in module.symbols.names:
                return int(module.symbols.addresses[module.symbols.names.index(name)])
        return None

    def name_of(self, address: int) -> str:
        """`function`, or `function [module]`; `[unknown]` for code that has no symbol, such as BPF's."""
        (found,) = self.lookup(np.array([address], np.uint64))
        return "[unknown]" if found is None else f"{found.name} [{found.module}]" if found.module else found.name

    def describe(self, address: int) -> str:
        """`function+0xoffset/0xsize`, followed by ` [module]` for a module's function; or the plain address."""
        (found,) = self.lookup(np.array([address], np.uint64))
        if found is None:
            return f"{address:#x}"
        module = f" [{found.module}]" if found.module else ""
        return f"{found.name}+{found.offset:#x}/{found.size:#x}{module}"


class LinuxLog:
    """What emu's own kernel would write into its log, as far as the user must know it: the guest's log is the guest's."""

    def __init__(self, warn: Callable[[str], None]) -> None:
        self._warn = warn
        self._said: set[str] = set()

    def write(self, line: str, level: Level = Level.NOTICE) -> None:
        if level <= Level.WARNING:
            self._warn(line)

    def write_once(self, line: str, level: Level = Level.NOTICE) -> None:
        if line not in self._said:
            self._said.add(line)
            self.write(line, level)


class LinuxKernel:
    """A Linux on a board.

    Args:
        board: its board.
        memory: its memory.
        symbols: its symbols.
        guest: the layout of its structures.
        release: its version.
        boot_time: the seconds of its wall clock at boot, since 1970.
        warn: called with what the user must know.

    Attributes:
        hot_areas: the address of each CPU's per-CPU area, by CPU index, as far as the kernel uses the CPU.
        symbols: the names of its functions and variables.
    """

    code_span = _CODE_SPAN
    reader_vector = 0  # no task of the guest reads the host's trace_pipe

    def __init__(
        self,
        board: Board,
        memory: LinuxMemory,
        symbols: Symbols,
        guest: Guest,
        *,
        release: str,
        boot_time: int,
        warn: Callable[[str], None],
    ) -> None:
        self.board, self.memory, self.release, self.boot_time = board, memory, release, boot_time
        self._per_cpu = symbols.address("__per_cpu_offset")
        self.hot_areas: dict[int, int] = {}
        self.find_hot_areas()
        self.tasks = LinuxTasks(memory, guest, self.hot_areas)
        self.symbols = LinuxNames(symbols)
        self.log = LinuxLog(warn)

    def find_hot_areas(self) -> None:
        """Looks where the per-CPU areas are. The kernel moves the first CPU's, and makes the others', while it boots."""
        for cpu in self.board.cpus:
            if self._per_cpu is not None:
                self.hot_areas[cpu.index] = self.memory.word(self._per_cpu + 8 * cpu.index)

    @property
    def acting_cpu(self) -> Cpu:
        """The CPU whose clock is furthest ahead: what the host writes comes after everything else."""
        return max(self.board.cpus, key=lambda cpu: cpu.cycles)

    @property
    def calling_cpu(self) -> Cpu | None:
        return None

    def next_wakeup(self) -> int:
        raise AssertionError("no reader is woken")

    def is_dumping(self, cpu: Cpu) -> bool:
        return False

    def symbol_lines(self) -> Iterator[tuple[int, str, str, str]]:
        """The lines of /proc/kallsyms: address, type, name and module ("" for the kernel)."""
        return self.symbols.lines()

    def address_of(self, name: str) -> int:
        """The address of a symbol; 0 if the kernel does not have it."""
        return self.symbols.address(name) or 0
