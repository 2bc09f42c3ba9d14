# SPDX-License-Identifier: GPL-2.0-only
"""Lifts a guest's tracepoints and the functions of their events. Nothing is read or compiled before the first of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import llvmlite.ir as ir

from emu.ftrace.arrays.array_records import RecordLists
from emu.linux.btf import Btf
from emu.linux.image import Kernel
from emu.linux.lift import arch, native
from emu.linux.lift.area import Area, place
from emu.linux.lift.code import Code
from emu.linux.lift.compiled import Compiler
from emu.linux.lift.jump_labels import JumpLabels
from emu.linux.lift.memory import Memory
from emu.linux.lift.reasons import CannotLift, NoCall, Target
from emu.linux.lift.records import Lifted
from emu.linux.memory import LinuxMemory
from emu.linux.modules import Module
from emu.linux.structures import Structures
from emu.linux.symbols import Symbols

__all__ = ["Lifting"]

# Tracepoints that are behind another static key: those of page faults, and of an interrupt that makes a CPU reschedule
_BEHIND = {
    "page_fault_user": "trace_pagefault_key", "page_fault_kernel": "trace_pagefault_key",
    "reschedule_entry": "trace_resched_ipi_key", "reschedule_exit": "trace_resched_ipi_key",
}  # fmt: skip


class Lifting:
    """Lifts for one guest.

    Args:
        kernel: the image.
        memory: the guest's memory.
        symbols, btf: the kernel's.
        records: the records of all trace arrays.
    """

    def __init__(self, kernel: Kernel, memory: LinuxMemory, symbols: Symbols, btf: Btf, records: RecordLists) -> None:
        self._kernel, self._guest, self._symbols, self._btf, self._records = kernel, memory, symbols, btf, records
        self._modules: dict[str, Module] = {}
        self._probes: dict[int, Lifted] = {}  # by the addresses of the kernel's functions

    @cached_property
    def area(self) -> Area:
        """The memory of all lifted code."""
        area = Area.allocate()
        area.function[1] = place(area, "file")
        return area

    @cached_property
    def _labels(self) -> JumpLabels:
        found = JumpLabels(self._kernel, self._symbols, self._btf, self._guest)
        for module in self._modules.values():
            found.module_came(module)
        return found

    @cached_property
    def _memory(self) -> Memory:
        return Memory(self._guest, self._records.top, self.area, native.build())

    @cached_property
    def _compiler(self) -> Compiler:
        return Compiler()

    @cached_property
    def _preempt_count(self) -> int:
        return Structures(self._btf, self._symbols).per_cpu.preempt_count

    def _lifter(self, always: Iterable[int] = ()) -> arch.Lifter:
        code = Code(self._kernel, self._guest, self._function, self._labels.targets, frozenset(always))
        return arch.Lifter(code, self._memory, self._preempt_count)

    def _function(self, address: int) -> tuple[str, int, int] | None:
        """The name of the function at an address, the offset in it, and its size."""
        found = self._symbols.function(address)
        for module in self._modules.values() if found is None else ():
            if (known := module.at(address)) is not None:
                name, offset = known
                return name, offset, module.end_of(address) - address + offset
        return found

    # Modules

    def module_came(self, module: Module) -> None:
        """A module is being loaded, or was there when tracing began."""
        self._modules[module.name] = module
        if "_labels" in self.__dict__:
            self._labels.module_came(module)

    def module_gone(self, module: Module) -> None:
        """A module is unloaded."""
        self._modules.pop(module.name, None)
        if "_labels" in self.__dict__:
            self._labels.module_gone(module.name)
        self._probes = {probe: lifted for probe, lifted in self._probes.items() if probe not in module.text}

    # Lifting

    def probe(self, function: int) -> Lifted:
        """A function of the kernel that stores the entry of an event. Raises CannotLift."""
        if function not in self._probes:
            (found,) = self._compiler.compile([self._lifter().probe("probe", function)], ["probe"])
            self._probes[function] = found
        return self._probes[function]

    def labels(self, tracepoint: int, name: str) -> Sequence[int]:
        """The jump labels that lead to a tracepoint, or ask whether somebody uses it."""
        hook = self._hook(name)
        return self._labels.of_key(self._key(tracepoint) if hook is None else hook)

    def sites(self, tracepoint: int, name: str, labels: Iterable[int]) -> tuple[dict[int, Lifted], CannotLift | None]:
        """The places of code that reach a tracepoint.

        Args:
            tracepoint: the address of its struct.
            labels: some of its labels.

        Returns:
            the lifted functions, by their labels; and why another label could not be lifted, if there is one.
        """
        hook = self._hook(name)
        always = [*self._labels.of_key(self._key(tracepoint)), *([] if hook is None else self._labels.of_key(hook))]
        lifter, target = self._lifter(always), self._target(tracepoint, name)
        modules: dict[int, ir.Module] = {}
        failure: CannotLift | None = None
        for label in labels:
            try:
                modules[label] = lifter.site(f"site_{label:x}", label, target)
            except NoCall:
                continue
            except CannotLift as error:
                failure = error
        for label in lifter.passed:
            modules.pop(label, None)  # it is reached from another one
        if not modules:
            return {}, failure
        found = self._compiler.compile(list(modules.values()), [f"site_{label:x}" for label in modules])
        return dict(zip(modules, found, strict=True)), failure

    def _key(self, tracepoint: int) -> int:
        return tracepoint + self._btf.offset("tracepoint.key")

    def _hook(self, name: str) -> int | None:
        """The static key that a tracepoint is behind; None: its own."""
        return self._symbols.address(_BEHIND.get(name, ""))

    def _target(self, tracepoint: int, name: str) -> Target:
        symbols = (f"__SCT__tp_func_{name}", f"__traceiter_{name}", f"trace_event_raw_event_{name}")
        functions = frozenset(address for symbol in symbols if (address := self._address(symbol)) is not None)
        prototype = self._btf.prototype(f"btf_trace_{name}")
        arguments = 0 if prototype is None else len(prototype.parameters)
        funcs = tracepoint + self._btf.offset("tracepoint.funcs")
        return Target(functions, max(arguments - len(arch.ARGUMENTS), 0), funcs)

    def _address(self, symbol: str) -> int | None:
        if (found := self._symbols.address(symbol)) is not None:
            return found
        for module in self._modules.values():
            if symbol in module.symbols.names:
                return int(module.symbols.addresses[module.symbols.names.index(symbol)])
        return None
