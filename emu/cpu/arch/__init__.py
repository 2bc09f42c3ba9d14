# SPDX-License-Identifier: GPL-2.0-only
"""What an architecture provides for the hardware layer."""

from __future__ import annotations

import functools
import importlib
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import capstone
import unicorn

from emu.architectures import ARCHITECTURES
from emu.cpu import library_imports
from emu.cpu.internals import CpuStructures, add_native_hook, address_of, handle_of
from emu.cpu.native import cpu_records
from emu.cpu.native.arch import NativeCpu, TimedHooks
from emu.cpu.native.known_blocks_record import KnownBlocks
from emu.cpu.timing import CACHES, PIPELINE, STATIC, TIMING_MODELS, BlockSummary, TimingModel, TimingNames
from emu.cpu.timing.static import StaticModel
from emu.native.records import Layouts, Words

if TYPE_CHECKING:
    from emu.cpu.timing.core import Core
    from emu.cpu.timing.summaries import Summaries

__all__ = ["RESET_PAGE", "CpuArch", "load"]

RESET_PAGE = 0x2000  # physical address of the data in RAM for the reset state


class CpuArch(ABC):
    """An architecture's CPUs on Unicorn.

    To boot: name, byte_order, unicorn_mode, repair(), layout(), state_size(), program_counters(), reset(), cycles, and the module
        in emu.cpu.native.arch.
    To answer host calls: set_result().
    To show a CPU: registers(), in_user_mode().
    To reach memory as a CPU sees it: translate().
    To show code (emu.cpu.disassembly): capstone_mode, syntax, instruction_alignment.
    """

    name: ClassVar[str]  # as in --arch, and in the names of its files
    byte_order: ClassVar[Literal["little", "big"]]  # of the guest's memory
    page_size: ClassVar[int]  # bytes, of the kernel's pages and of those of page tables
    direct_map: ClassVar[int]  # virtual address at which all of physical memory is mapped
    kernel_map: ClassVar[int]  # virtual address at which the kernel's text maps physical 0
    max_cpus: ClassVar[int]  # the most that a board can have
    vectors: ClassVar[range]  # the interrupts that can be raised; the highest has priority
    io_window: ClassVar[range] = range(0)  # physical addresses above RAM of the board's devices
    most_memory: ClassVar[int | None] = None  # bytes
    unicorn_mode: ClassVar[tuple[int, int]]  # what Unicorn calls it: architecture and mode
    capstone_mode: ClassVar[tuple[int, int]]  # what capstone calls it: architecture and mode
    cycles: ClassVar[Mapping[str, int]]  # of instructions that take more than one in the static model, by capstone's mnemonic
    syntax: ClassVar[int]  # capstone's number for objdump's assembly syntax
    instruction_alignment: ClassVar[int]  # bytes: the unit of instruction addresses and sizes
    fenced_code: ClassVar[bool] = False  # whether an instruction makes a CPU see changes of code, and nothing else does
    longest_turn: ClassVar[int] = 100_000  # cycles
    default_timing: str = STATIC  # the timing model used if none was chosen

    def timing_names(self, timing: str, cpu_model: str | None) -> TimingNames:
        """Checks the models chosen for a board. `cpu_model` None: the first one that `timing` supports.

        Raises:
            ValueError: the architecture has no model with that name.
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
            UnknownUnicorn: this build of Unicorn has an unknown layout.
        """
        self.repair()
        self.layout()
        uc = unicorn.Uc(*self.unicorn_mode)
        uc.ctl_exits_enabled(True)  # no `until` address: checking one can fault in user mode
        return uc

    @abstractmethod
    def layout(self) -> CpuStructures:
        """The offsets of a CPU's state in Unicorn, probed once.

        Raises:
            UnknownUnicorn: something is not at a recognisable place.
        """

    @abstractmethod
    def state_size(self) -> int:
        """The size of the architectural part of a CPU's state in bytes, without Unicorn's own data after it."""

    @abstractmethod
    def program_counters(self) -> tuple[int, int]:
        """The offsets in the CPU's state of the program counter and of the next one (equal without delay slots)."""

    @functools.cached_property
    def unicorn_layouts(self) -> Layouts:
        """The layouts of Unicorn's structures."""
        return Layouts(cpu_records.shapes(self.layout()))

    def attach(self, uc: unicorn.Uc, record: cpu_records.Cpu, block_hook: int) -> None:
        """Installs the native hooks, and fills in the CPU's record with Unicorn's addresses. `block_hook`: called by blocks."""
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
        if native.watching is not None:
            for fill in at.tlb.fill:
                Words(inside.cpu.address + fill)[0] = native.watching.fill
        if native.cycle_counter is not None:
            record.cycle_counter = Words(record.env + native.cycle_counter)

    @functools.cached_property
    def _translator(self) -> cpu_records.Translator:
        """The record with the changes of Unicorn's translator, which take effect now."""
        native, record = self.native(), cpu_records.Translator.allocate()
        record.hooks = address_of("helper_uc_tracecode")
        record.exit_check = address_of(f"helper_check_exit_request_{self.name}")
        for n, helper in enumerate(native.instructions):
            record.instructions[n] = address_of(helper)
        for n, helper in enumerate(native.openings):
            record.openings[n] = address_of(helper)
        for n, helper in enumerate(native.noticed):
            record.noticed[n] = address_of(helper)
        for name, function in native.translator.items():
            library_imports.replace(name, function)
        if native.listening is not None:
            record.translate_listened = native.listening.translate
            for name, function in native.listening.replaced.items():
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
        """The names of CPU models, the default first; empty if the architecture only has the static timing model."""
        return ()

    def core(self, cpu_model: str) -> Core:
        """The parameters of a CPU model: those of the architecture's module of that name."""
        module: Any = importlib.import_module(f"emu.cpu.arch.{self.name}.{cpu_model}")
        core: Core = module.CORE
        return core

    def summarise(self, core: Core) -> Callable[[bytes, int], BlockSummary]:
        """A function (code, address) -> summary, for a CPU model."""
        raise NotImplementedError

    @functools.cached_property
    def _summaries(self) -> dict[str, Summaries]:
        return {}

    def summaries(self, core: Core) -> Summaries:
        """The summaries of blocks for a CPU model, shared by all boards."""
        if core.name not in self._summaries:
            from emu.cpu.timing.summaries import Summaries  # imported when needed

            summarise = self.summarise(core)
            sources = [summarise.__module__, *(f"emu.cpu.arch.{self.name}.{part}" for part in ("operations", core.name))]
            self._summaries[core.name] = Summaries(summarise, f"{self.name}-{core.name}", sources)
        return self._summaries[core.name]

    @functools.cached_property
    def _known_blocks(self) -> dict[str, KnownBlocks]:
        return defaultdict(KnownBlocks.allocate)

    def known_blocks(self, core: Core | None) -> KnownBlocks:
        """Native code's memory of blocks' costs for a CPU model, or for the static model. All boards share it."""
        return self._known_blocks[core.name if core else STATIC]

    @functools.cached_property
    def _timed(self) -> dict[tuple[str, bool], TimedHooks]:
        return {}

    def timed_hooks(self, core: Core, with_data: bool) -> TimedHooks:
        """The compiled hooks of a CPU model. `with_data`: model caches and TLBs of data."""
        timed, key = self.native().timed, (core.name, with_data)
        assert timed is not None
        if key not in self._timed:
            self._timed[key] = timed(core, with_data)
        return self._timed[key]

    @abstractmethod
    def reset(self, uc: unicorn.Uc, *, entry: int, page_table: int, arguments: tuple[int, int]) -> None:
        """Puts a CPU into the reset state of docs/board.md."""

    def disassembler(self) -> capstone.Cs:
        """What the static timing model reads code with."""
        return capstone.Cs(*self.capstone_mode)

    @functools.cached_property
    def _timing(self) -> TimingModel:
        return StaticModel(self.disassembler(), self.cycles, self.repeated)

    def timing(self) -> TimingModel:
        """The static timing model. All boards share it, because it caches the costs of blocks."""
        return self._timing

    def repeated(self, instruction: bytes) -> int:
        """The description for the block hook of a repeated instruction; 0 if the instruction is not repeated."""
        return 0

    @abstractmethod
    def registers(self, env: int) -> Mapping[str, int]:
        """The integer registers and those of the CPU's state, by the disassembler's names."""

    @abstractmethod
    def in_user_mode(self, env: int) -> bool:
        """Whether the CPU executes a program, without privileges."""

    @abstractmethod
    def set_result(self, env: int, value: int) -> None:
        """Stores a host call's result where the guest expects it."""

    @abstractmethod
    def translate(self, env: int, ram: memoryview, address: int) -> int | None:
        """The physical address behind a virtual one in a CPU's current address space; None if it is not mapped."""

    @property
    @abstractmethod
    def reset_page(self) -> bytes:
        """The bytes at RESET_PAGE in RAM for the reset state."""


def load(name: str) -> CpuArch:
    """The architecture with a name.

    Raises:
        ValueError: there is none.
    """
    if name not in ARCHITECTURES:
        raise ValueError(f"unknown architecture '{name}' (known: {', '.join(ARCHITECTURES)})")
    module: Any = importlib.import_module(f"emu.cpu.arch.{name}")
    arch: CpuArch = module.ARCH
    return arch
