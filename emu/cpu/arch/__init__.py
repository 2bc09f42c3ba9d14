# SPDX-License-Identifier: GPL-2.0-only
"""What an architecture provides to the hardware layer."""

from __future__ import annotations

import functools
import importlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import capstone
import unicorn

from emu.cpu import library_imports
from emu.cpu.internals import CpuStructures, add_native_hook, address_of, handle_of
from emu.cpu.native import cpu_records
from emu.cpu.native.arch import NativeCpu, TimedHooks
from emu.cpu.timing import CACHES, PIPELINE, STATIC, TIMING_MODELS, BlockSummary, TimingModel, TimingNames
from emu.cpu.timing.static import StaticModel
from emu.native.records import Layouts, Words

if TYPE_CHECKING:
    from emu.cpu.timing.core import Core
    from emu.cpu.timing.summaries import Summaries

__all__ = ["ARCHITECTURES", "RESET_PAGE", "CpuArch", "load"]

RESET_PAGE = 0x2000  # physical address of what the reset state needs in RAM
ARCHITECTURES = ("x86_64", "sparc64")


class CpuArch(ABC):
    """One architecture's CPUs on Unicorn.

    To boot: name, byte_order, unicorn_mode, repair(), layout(), state_size(), program_counters(), reset(), cycles, and the module
        in emu.cpu.native.arch.
    To answer host calls: set_result().
    To show a CPU: registers(), in_user_mode().
    To reach memory as a CPU sees it: translate().
    To show code (emu.cpu.disassembly): capstone_mode, syntax, instruction_alignment.
    """

    name: ClassVar[str]
    byte_order: ClassVar[Literal["little", "big"]]
    page_size: ClassVar[int]
    direct_map: ClassVar[int]  # virtual address that maps physical 0, all of RAM
    kernel_map: ClassVar[int]  # virtual address that maps physical 0 for the kernel's text
    max_cpus: ClassVar[int]
    vectors: ClassVar[range]  # the interrupts that can be raised; the highest comes first
    io_window: ClassVar[range] = range(0)  # physical addresses behind RAM at which the board has devices
    unicorn_mode: ClassVar[tuple[int, int]]  # what Unicorn calls it: architecture and mode
    capstone_mode: ClassVar[tuple[int, int]]  # the same of capstone
    cycles: ClassVar[Mapping[str, int]]  # of instructions that cost more than one in the static model, by capstone's mnemonic
    syntax: ClassVar[int]  # capstone's number of the assembly language that objdump prints
    instruction_alignment: ClassVar[int]  # bytes: what an instruction's address and size are multiples of
    default_timing: str = STATIC  # the timing model of machines for which none was chosen

    def timing_names(self, timing: str, cpu_model: str | None) -> TimingNames:
        """Checks what models a board is to have. `cpu_model` None: the first one that `timing` can follow.

        Raises:
            ValueError: the architecture has none of that name.
        """
        if timing not in TIMING_MODELS:
            raise ValueError(f"unknown timing model '{timing}' (known: {', '.join(TIMING_MODELS)})")
        if timing == STATIC:
            if cpu_model is not None:
                raise ValueError(f"a CPU model ('{cpu_model}') needs a timing model that follows it: {PIPELINE}, {CACHES}")
            return TimingNames(timing, "")
        if not self.cpu_models:
            raise ValueError(f"{self.name} has no CPU model, which the timing model '{timing}' needs: static is the only one")
        if cpu_model is not None and cpu_model not in self.cpu_models:
            raise ValueError(f"unknown CPU model '{cpu_model}' of {self.name} (known: {', '.join(self.cpu_models)})")
        return TimingNames(timing, cpu_model or self.cpu_models[0])

    @abstractmethod
    def repair(self) -> None:
        """Changes Unicorn's code, once for the process, where programs would find it wrong.

        Raises:
            UnknownUnicorn: the library's code is not as expected.
            OSError: the host does not let a process change its code.
        """

    def create(self) -> unicorn.Uc:
        """A bare Uc of this architecture.

        Raises:
            UnknownUnicorn: this build of Unicorn is not understood.
        """
        self.repair()
        self.layout()
        uc = unicorn.Uc(*self.unicorn_mode)
        uc.ctl_exits_enabled(True)  # no `until` address: checking one can fault in user mode
        return uc

    @abstractmethod
    def layout(self) -> CpuStructures:
        """Where Unicorn keeps a CPU's state, probed once.

        Raises:
            UnknownUnicorn: something is not where it can be recognised.
        """

    @abstractmethod
    def state_size(self) -> int:
        """How many bytes of a CPU's state, from its beginning, are the architecture's and not Unicorn's own."""

    @abstractmethod
    def program_counters(self) -> tuple[int, int]:
        """Offsets in the CPU's state of the program counter and of the next one (the same without delay slots)."""

    @functools.cached_property
    def unicorn_layouts(self) -> Layouts:
        """Where Unicorn's structures have their members."""
        return Layouts(cpu_records.shapes(self.layout()))

    def attach(self, uc: unicorn.Uc, record: cpu_records.Cpu, block_hook: int) -> None:
        """Installs the native hooks, and notes in the CPU's record what is inside Unicorn. `block_hook`: what blocks call."""
        at, native = self.layout(), self.native()
        inside = cpu_records.Uc(handle_of(uc), self.unicorn_layouts)
        inside.stop_interrupt = native.stop_interrupt.address
        inside.cpu.opaque = record.address
        add_native_hook(uc, unicorn.UC_HOOK_BLOCK, block_hook, record.address)
        for instruction, function in native.instruction_hooks:
            add_native_hook(uc, unicorn.UC_HOOK_INSN, function, record.address, instruction)
        record.uc, record.state = inside, inside.cpu
        record.env = inside.cpu.address + at.cpu_env
        location, next_location = self.program_counters()
        record.location, record.next_location = Words(record.env + location), Words(record.env + next_location)
        record.block_hook = block_hook
        record.translator = self._translator
        if native.cycle_counter is not None:
            record.cycle_counter = Words(record.env + native.cycle_counter)

    @functools.cached_property
    def _translator(self) -> cpu_records.Translator:
        """The record of what changes Unicorn's translator. From now on, it is changed."""
        native, record = self.native(), cpu_records.Translator.allocate()
        record.hooks = address_of("helper_uc_tracecode")
        record.exit_check = address_of(f"helper_check_exit_request_{self.name}")
        for n, helper in enumerate(native.instructions):
            record.instructions[n] = address_of(helper)
        for n, helper in enumerate(native.noticed):
            record.noticed[n] = address_of(helper)
        for name, function in native.translator.items():
            library_imports.replace(name, function)
        return record

    @functools.cached_property
    def _native(self) -> NativeCpu:
        module: Any = importlib.import_module(f"emu.cpu.native.arch.{self.name}")
        compiled: NativeCpu = module.build(self.layout())
        return compiled

    def native(self) -> NativeCpu:
        """The compiled functions of this architecture."""
        return self._native

    # Timing models with state

    @property
    def cpu_models(self) -> Sequence[str]:
        """The names of CPU models, the default first; none: the architecture has the static timing model alone."""
        return ()

    def core(self, cpu_model: str) -> Core:
        """The parameters of a CPU model: those of the module in emu.cpu.timing that has its name."""
        module: Any = importlib.import_module(f"emu.cpu.timing.{cpu_model}")
        core: Core = module.CORE
        return core

    def summarise(self, core: Core) -> Callable[[bytes, int], BlockSummary]:
        """(code, address) -> summary, for a CPU model."""
        raise NotImplementedError

    @functools.cached_property
    def _summaries(self) -> dict[str, Summaries]:
        return {}

    def summaries(self, core: Core) -> Summaries:
        """The summaries of blocks for a CPU model. All boards share them."""
        if core.name not in self._summaries:
            from emu.cpu.timing.summaries import Summaries  # loaded when they are needed

            summarise = self.summarise(core)
            sources = [summarise.__module__, f"emu.cpu.timing.{core.name}"]
            self._summaries[core.name] = Summaries(summarise, f"{self.name}-{core.name}", sources)
        return self._summaries[core.name]

    @functools.cached_property
    def _timed(self) -> dict[tuple[str, bool], TimedHooks]:
        return {}

    def timed_hooks(self, core: Core, with_data: bool) -> TimedHooks:
        """The compiled hooks of a CPU model. `with_data`: data have caches and TLBs."""
        timed, key = self.native().timed, (core.name, with_data)
        assert timed is not None
        if key not in self._timed:
            self._timed[key] = timed(core, with_data)
        return self._timed[key]

    @abstractmethod
    def reset(self, uc: unicorn.Uc, *, entry: int, page_table: int, arguments: tuple[int, int]) -> None:
        """Puts a CPU in the reset state of docs/board.md."""

    def disassembler(self) -> capstone.Cs:
        """What the static timing model reads code with."""
        return capstone.Cs(*self.capstone_mode)

    @functools.cached_property
    def _timing(self) -> TimingModel:
        return StaticModel(self.disassembler(), self.cycles)

    def timing(self) -> TimingModel:
        """The static timing model. All boards share it, because it caches the costs of blocks."""
        return self._timing

    def repeated(self, instruction: bytes) -> int:
        """What the block hook wants to know of an instruction that repeats itself; 0 if it does not."""
        return 0

    @abstractmethod
    def registers(self, env: int) -> Mapping[str, int]:
        """The integer registers and those of the CPU's state, by the names that disassembly has for them."""

    @abstractmethod
    def in_user_mode(self, env: int) -> bool:
        """Whether the CPU executes a program, without privileges."""

    @abstractmethod
    def set_result(self, env: int, value: int) -> None:
        """Stores a host call's result where the guest expects it."""

    @abstractmethod
    def translate(self, env: int, ram: memoryview, address: int) -> int | None:
        """The physical address behind a virtual one in a CPU's current address space, None if it is not mapped."""

    @property
    @abstractmethod
    def reset_page(self) -> bytes:
        """The bytes that the board puts in RAM at RESET_PAGE for the reset state."""


def load(name: str) -> CpuArch:
    """The architecture called `name`.

    Raises:
        ValueError: there is none.
    """
    if name not in ARCHITECTURES:
        raise ValueError(f"unknown architecture '{name}' (known: {', '.join(ARCHITECTURES)})")
    module: Any = importlib.import_module(f"emu.cpu.arch.{name}")
    arch: CpuArch = module.ARCH
    return arch
