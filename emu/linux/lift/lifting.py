# SPDX-License-Identifier: GPL-2.0-only
"""Lifts a guest's tracepoints and the functions of their events. Nothing is read or compiled before the first of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property, partial

import llvmlite.ir as ir

from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.btf import Btf
from emu.linux.image import Kernel
from emu.linux.lift import arch, native
from emu.linux.lift.area import Area
from emu.linux.lift.code import Code
from emu.linux.lift.compiled import Compiler
from emu.linux.lift.jump_labels import JumpLabels
from emu.linux.lift.kept_code import KeptCode, LiftedCode
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
        area.function[1] = area.file.address
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
        return Compiler(self._memory.symbols)

    @cached_property
    def _kept(self) -> KeptCode:
        array = self._records.top
        depends = self._kernel.digest, array.ram_size, array.direct_start
        return KeptCode(arch.__file__, depends, self._is_taken)

    def _is_taken(self, label: int) -> bool:
        return arch.is_jump(self._guest.read(label, arch.JUMP_SIZE))

    @cached_property
    def _preempt_count(self) -> int:
        return Structures(self._btf, self._symbols).per_cpu.preempt_count

    def _code(self, always: Iterable[int] = ()) -> Code:
        return Code(self._kernel, self._guest, self._function, self._labels.targets, self._is_taken, frozenset(always))

    def _lifter(self, code: Code) -> arch.Lifter:
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

    def module_gone(self, name: str) -> Module | None:
        """A module is unloaded. Returns it; None if it had not come."""
        module = self._modules.pop(name, None)
        if "_labels" in self.__dict__:
            self._labels.module_gone(name)
        if module is not None:
            self._probes = {probe: lifted for probe, lifted in self._probes.items() if probe not in module.text}
        return module

    # Lifting

    def probe(self, function: int) -> Lifted:
        """A function of the kernel that stores the entry of an event. Raises CannotLift."""
        if function not in self._probes:
            what = "probe", function
            lifted = self._get_or_make(what, [function], self._code(), partial(self._lift_probe, function))
            if not lifted.code:
                raise CannotLift(lifted.obstacle)
            (self._probes[function],) = self._compiler.load(lifted.code, ["probe"])
        return self._probes[function]

    def _lift_probe(self, function: int, code: Code) -> LiftedCode:
        try:
            module = self._lifter(code).probe("probe", function)
        except CannotLift as error:
            return LiftedCode(b"", [], str(error), code.states)
        return LiftedCode(self._compiler.compile([module]), [], "", code.states)

    def _get_or_make(
        self, what: tuple[object, ...], places: Sequence[int], code: Code, make: Callable[[Code], LiftedCode]
    ) -> LiftedCode:
        """Lifted code, from disk if it was kept there. `places`: what is lifted. Modules are elsewhere in each run."""
        is_kept = all(self._symbols.at(place) is not None for place in places)
        if is_kept and (found := self._kept.get(what)) is not None:
            return found
        made = make(code)
        if is_kept and not code.depends_on_memory:
            self._kept.put(what, made)
        return made

    def labels(self, tracepoint: int, name: str) -> Sequence[int]:
        """The jump labels that lead to a tracepoint, or ask whether somebody uses it."""
        hook = self._hook(name)
        return self._labels.of_key(self._key(tracepoint) if hook is None else hook)

    def sites(self, tracepoint: int, name: str, labels: Collection[int]) -> tuple[dict[int, Lifted], CannotLift | None]:
        """The places of code that reach a tracepoint.

        Args:
            tracepoint: the address of its struct.
            labels: some of its labels.

        Returns:
            the lifted functions, by their labels; and why another label could not be lifted, if there is one.
        """
        hook = self._hook(name)
        always = [*self._labels.of_key(self._key(tracepoint)), *([] if hook is None else self._labels.of_key(hook))]
        found: dict[int, Lifted] = {}
        failure: CannotLift | None = None
        for group in self._groups(labels):
            what, lift = ("sites", tracepoint, tuple(group)), partial(self._lift_sites, group, tracepoint, name)
            lifted = self._get_or_make(what, group, self._code(always), lift)
            if lifted.code:
                functions = self._compiler.load(lifted.code, [_symbol(label) for label in lifted.labels])
                found |= zip(lifted.labels, functions, strict=True)
            if lifted.obstacle:
                failure = CannotLift(lifted.obstacle)
        return found, failure

    def _groups(self, labels: Collection[int]) -> Sequence[Sequence[int]]:
        """The labels of the kernel, and those of modules."""
        of_kernel = [label for label in labels if self._symbols.at(label) is not None]
        others = [label for label in labels if label not in of_kernel]
        return [group for group in (of_kernel, others) if group]

    def _lift_sites(self, labels: Sequence[int], tracepoint: int, name: str, code: Code) -> LiftedCode:
        lifter, target = self._lifter(code), self._target(tracepoint, name)
        modules: dict[int, ir.Module] = {}
        obstacle = ""
        for label in labels:
            try:
                modules[label] = lifter.site(_symbol(label), label, target)
            except NoCall:
                continue
            except CannotLift as error:
                obstacle = str(error)
        for label in lifter.passed:
            modules.pop(label, None)  # it is reached from another one
        made = self._compiler.compile(list(modules.values())) if modules else b""
        return LiftedCode(made, list(modules), obstacle, code.states)

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


def _symbol(label: int) -> str:
    """The name of the function for a place."""
    return f"site_{label:x}"
