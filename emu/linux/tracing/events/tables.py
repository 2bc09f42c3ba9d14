# SPDX-License-Identifier: GPL-2.0-only
"""Where a Linux's kernel and its modules declare their events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np

from emu.ftrace.btf import Btf
from emu.ftrace.event.evals import Eval, Evals
from emu.linux.image import Kernel
from emu.linux.memory import LinuxMemory
from emu.linux.modules import Module, ModuleState
from emu.linux.symbols import Symbols
from emu.linux.tracing.events.reader import EventReader, LinuxEvent, image_evals, image_table
from emu.linux.tracing.events.syscalls import LinuxSyscall, Syscalls

__all__ = ["EventTables"]

_WORD = 8
_MOST = 1 << 16  # events or names of a module


class EventTables:
    """The tables of events.

    Args:
        kernel, symbols, btf: the kernel's.
        memory: the guest's.
        has_booted: whether the kernel has given its events their numbers, and has replaced names in their print fmts.

    Attributes:
        has_booted: as above.

    Raises, from any method:
        LookupError: a table is not as expected.
    """

    def __init__(self, kernel: Kernel, symbols: Symbols, btf: Btf, memory: LinuxMemory, *, has_booted: bool) -> None:
        self._kernel, self._symbols, self._btf, self._memory = kernel, symbols, btf, memory
        self.has_booted = has_booted

    @property
    def first_number(self) -> int:
        """The next event gets this number, or the lowest one above that no event has. Older kernels use none twice."""
        counter = self._symbols.address("next_event_type")
        return self._memory.word(counter, 4) if counter else self._btf.enumerator("__TRACE_LAST_TYPE") or 1

    @cached_property
    def _reader(self) -> EventReader:
        return EventReader(self._memory, self._btf)

    def of_kernel(self) -> Iterator[LinuxEvent]:
        """The kernel's events in the order in which it registers them. It leaves out system calls without a number."""
        evals = None if self.has_booted else Evals(image_evals(self._kernel, self._symbols, self._btf))
        return self._reader.read(image_table(self._kernel, self._symbols, "ftrace_events"), "", evals)

    def of_module(self, module: Module) -> Iterator[LinuxEvent]:
        """A module's events. It may be in the midst of being loaded."""
        state = self._number(module.address, "state")
        evals = Evals(map(self._eval, self._pointers(module, "trace_evals"))) if state == ModuleState.COMING else None
        return self._reader.read(self._pointers(module, "trace_events"), module.name, evals)

    def syscalls(self) -> Mapping[int, LinuxSyscall]:
        """The system calls that have events, by the addresses of their events' struct trace_event_call."""
        if not self._symbols.address("__start_syscalls_metadata"):
            return {}
        found = {}
        for call in Syscalls(self._kernel, self._symbols, self._btf, self._memory).read():
            found[call.enter] = found[call.exit] = call
        return found

    def _number(self, module: int, member: str) -> int:
        return self._memory.word(module + self._btf.offset(f"module.{member}"), self._btf.size(f"module.{member}"))

    def _pointers(self, module: Module, name: str) -> list[int]:
        """One of a module's tables."""
        count = self._number(module.address, f"num_{name}") if self._btf.has(f"module.{name}") else 0
        if count > _MOST:
            raise LookupError(f"the module {module.name} would have {count:,} events or names")
        table = self._number(module.address, name) if count else 0
        return np.frombuffer(self._memory.read(table, count * _WORD), "<u8").tolist() if count else []

    def _eval(self, address: int) -> Eval:
        system, name, value = (
            self._memory.word(address + self._btf.offset(f"trace_eval_map.{member}"))
            for member in ("system", "eval_string", "eval_value")
        )
        return Eval(self._memory.string(system), self._memory.string(name), value - (value >> 63 << 64))
