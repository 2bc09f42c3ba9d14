# SPDX-License-Identifier: GPL-2.0-only
"""Lifted code beside Unicorn: a small guest whose memory both have, and the area of lifted code, at the same addresses."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import keystone
import llvmlite.ir as ir
import numpy as np
import unicorn
from unicorn import x86_const as x86

from emu.cpu.arch.x86_64.state import GENERAL_REGISTERS
from emu.ftrace.native.trace_records import TraceArray
from emu.linux.lift import arch, native
from emu.linux.lift.area import Area, offset_of
from emu.linux.lift.compiled import Compiler
from emu.linux.lift.memory import I1, I64, POINTER, Memory
from emu.linux.lift.reasons import Target
from emu.linux.lift.x86_64_operations import execute
from emu.linux.lift.x86_64_paths import decode
from emu.linux.lift.x86_64_state import FLAGS, Registers, State
from emu.native.records import HOST

__all__ = ["AREA", "DIRECT", "FAILED", "KERNEL", "PER_CPU", "PREEMPT_COUNT", "Both", "Outcome", "Program", "assemble", "place_in"]

KERNEL, DIRECT, SIZE = 0xFFFF_FFFF_8000_0000, 0xFFFF_8880_0000_0000, 1 << 20  # of RAM, which is at both addresses
CODE = KERNEL + 0x1000
PER_CPU = DIRECT + 0x8_0000
PREEMPT_COUNT = 0x20
FAILED = (1 << 64) - 1  # as a lifted function returns it
PAGE = 4096
FLAG_BITS = {"cf": 0, "pf": 2, "zf": 6, "sf": 7, "of": 11}
AREA = HOST.size(Area)

_REGISTERS = [getattr(x86, f"UC_X86_REG_{'R' if name[0] != 'r' else ''}{name.upper()}") for name in GENERAL_REGISTERS]
_assembler = keystone.Ks(keystone.KS_ARCH_X86, keystone.KS_MODE_64)


_STRINGS = {"b": "{}", "w": "66{}", "d": "{}", "q": "48{}"}  # keystone does not know all of them


def _string(text: str) -> bytes | None:
    """The code of `stosb`, `rep movsq` and their like; None for anything else."""
    found = re.fullmatch(r"(rep )?(stos|movs)([bwdq])", text)
    if found is None:
        return None
    operation = {"stos": 0xAA, "movs": 0xA4}[found[2]] + (found[3] != "b")
    return bytes.fromhex(_STRINGS[found[3]].format(f"{operation:02x}").join(("f3" if found[1] else "", "")))


def assemble(text: str, address: int = CODE) -> bytes:
    """Machine code of some lines in Intel's syntax."""
    if (string := _string(text)) is not None:
        return string
    found, _ = _assembler.asm(text, address, as_bytes=True)
    assert found, text
    return bytes(found)


@functools.cache
def _helpers() -> native.Helpers:
    return native.build()


@dataclass
class Program:
    """Code of the guest, for lifting (the interface of emu.linux.lift.code.Code).

    Attributes:
        names: each function's address and size.
        labels: where jump labels lead to.
        always: those that are taken to be on.
    """

    code: bytes
    start: int = CODE
    names: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    labels: Mapping[int, int] = field(default_factory=dict)
    always: frozenset[int] = frozenset()

    def name_of(self, address: int) -> tuple[str, int] | None:
        for name, (start, size) in self.names.items():
            if start <= address < start + size:
                return name, address - start
        return None

    def size_of(self, address: int) -> int:
        return next((size for start, size in self.names.values() if start == address), 0)

    def read(self, address: int, size: int) -> bytes:
        if not self.start <= address < self.start + len(self.code):
            raise LookupError
        return self.code[address - self.start :][:size]

    patched = read

    def label(self, address: int) -> tuple[int, bool] | None:
        if address not in self.labels:
            return None
        return self.labels[address], address in self.always or arch.is_jump(self.read(address, arch.JUMP_SIZE))

    def is_always_on(self, address: int) -> bool:
        return address in self.always


@dataclass(frozen=True)
class Outcome:
    """What some code leaves.

    Attributes:
        result: what the lifted function returned; FAILED also if Unicorn stopped at an error.
    """

    result: int
    registers: tuple[int, ...]
    flags: Mapping[str, bool]
    area: bytes


class Both:
    """A guest, and both ways to execute its code."""

    def __init__(self) -> None:
        self._ram = np.zeros(SIZE + PAGE, np.uint8)
        offset = -self._ram.ctypes.data % PAGE
        self.ram = self._ram[offset : offset + SIZE]
        self.area = Area.allocate()
        self.area_bytes = np.frombuffer((ctypes.c_uint8 * AREA).from_address(self.area.address), np.uint8)
        self._array = TraceArray.allocate()
        self._nowhere = np.zeros(PAGE, np.uint8)
        self._array.direct_start, self._array.kernel_start, self._array.ram_size = DIRECT, KERNEL, SIZE
        self._array.ram, self._array.nowhere = self.ram.ctypes.data, self._nowhere.ctypes.data
        self.memory = Memory(self, self._array, self.area, _helpers())  # type: ignore[arg-type]  # has host_address
        self.compiler = Compiler(self.memory.symbols)
        self.uc = unicorn.Uc(unicorn.UC_ARCH_X86, unicorn.UC_MODE_64)
        self.uc.ctl_set_cpu_model(x86.UC_CPU_X86_HASWELL)
        self.uc.ctl_set_tlb_mode(unicorn.UC_TLB_VIRTUAL)  # there is no page table
        for start in (DIRECT, KERNEL):
            self.uc.mem_map_ptr(start, SIZE, unicorn.UC_PROT_ALL, self.ram.ctypes.data)
        first = self.area.address & -PAGE
        self.uc.mem_map_ptr(first, (self.area.address + AREA - first + PAGE - 1) & -PAGE, unicorn.UC_PROT_ALL, first)
        self._code = b""
        self._registers, self._flags = np.zeros(len(GENERAL_REGISTERS), np.uint64), np.zeros(len(FLAGS), np.uint8)

    def host_address(self, address: int) -> int:
        """LinuxMemory.host_address."""
        for start in (DIRECT, KERNEL):
            if 0 <= address - start < SIZE:
                return int(self.ram.ctypes.data) + address - start
        raise LookupError

    def put(self, address: int, data: bytes) -> None:
        """Stores bytes in the guest's RAM."""
        start = self.host_address(address) - self.ram.ctypes.data
        self.ram[start : start + len(data)] = np.frombuffer(data, np.uint8)

    # Single instructions

    def operation(self, module: ir.Module, name: str, code: bytes) -> None:
        """Adds a function to a module, which does what one instruction does to registers and flags."""
        function = ir.Function(module, ir.FunctionType(ir.VoidType(), [POINTER, POINTER]), name)
        entry, begin = function.append_basic_block("entry"), function.append_basic_block("begin")
        builder = ir.IRBuilder(entry)
        general, flags = function.args
        registers = [builder.alloca(I64) for _ in GENERAL_REGISTERS]
        variables = {flag: builder.alloca(I1) for flag in FLAGS}
        preempt_count = builder.alloca(ir.IntType(32))
        builder.branch(begin)
        builder.position_at_end(begin)

        def member(pointer: ir.Value, n: int, kind: ir.IntType) -> ir.Value:
            return builder.gep(pointer, [I64(n)], source_etype=kind)

        for n, register in enumerate(registers):
            builder.store(builder.load(member(general, n, I64), typ=I64), register)
        for n, variable in enumerate(variables.values()):
            builder.store(builder.trunc(builder.load(member(flags, n, ir.IntType(8)), typ=ir.IntType(8)), I1), variable)
        self.memory.put(builder, I64(0), "failed")
        state = State(builder, Registers(registers, variables, preempt_count), self.memory, I64(PER_CPU), PREEMPT_COUNT)
        execute(state, decode(CODE, code))
        for n, register in enumerate(registers):
            builder.store(builder.load(register), member(general, n, I64))
        for n, variable in enumerate(variables.values()):
            builder.store(builder.zext(builder.load(variable), ir.IntType(8)), member(flags, n, ir.IntType(8)))
        builder.ret_void()

    def compiled(self, module: ir.Module, names: Sequence[str]) -> list[Callable[[int, int], None]]:
        kind = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint64)
        return [kind(address) for address in self.compiler.load(self.compiler.compile([module]), names)]

    def run_operation(
        self, function: Callable[[int, int], None], registers: Sequence[int], flags: Mapping[str, bool], area: bytes
    ) -> Outcome:
        """Runs such a function."""
        self.area_bytes[:] = np.frombuffer(area, np.uint8)
        self._registers[:] = registers
        self._flags[:] = [flags[flag] for flag in FLAGS]
        function(self._registers.ctypes.data, self._flags.ctypes.data)
        found = {flag: bool(value) for flag, value in zip(FLAGS, self._flags, strict=True)}
        result = FAILED if self.area.failed else 0
        self.area.failed = 0
        return Outcome(result, tuple(self._registers.tolist()), found, self.area_bytes.tobytes())

    # Functions

    def lifted(self, program: Program, start: int, target: Target | None = None) -> Callable[[Sequence[int]], int]:
        """A function that runs lifted code with some registers. `target`: the call up to which the code behind the jump
        label `start` is lifted."""
        lifter = arch.Lifter(program, self.memory, PREEMPT_COUNT)  # type: ignore[arg-type]  # has its methods
        module = lifter.probe("code", start) if target is None else lifter.site("code", start, target)
        (address,) = self.compiler.load(self.compiler.compile([module]), ["code"])
        function = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64)(address)

        def run(registers: Sequence[int]) -> int:
            self._registers[:] = registers
            for n, name in enumerate(arch.ARGUMENTS):
                self.area.registers[n] = registers[GENERAL_REGISTERS.index(name)]
            return int(function(self._registers.ctypes.data, PER_CPU))

        return run

    # Unicorn

    def run_unicorn(
        self, code: bytes, registers: Sequence[int], flags: Mapping[str, bool], area: bytes, end: int | None = None
    ) -> Outcome:
        """Executes code up to its end."""
        self.area_bytes[:] = np.frombuffer(area, np.uint8)
        self.put(CODE, code)
        if code != self._code:
            self.uc.ctl_flush_tb()
            self._code = code
        word = 2 | sum(value << FLAG_BITS[flag] for flag, value in flags.items())
        others = (x86.UC_X86_REG_EFLAGS, word), (x86.UC_X86_REG_GS_BASE, PER_CPU)
        self.uc.reg_write_batch([*zip(_REGISTERS, registers, strict=True), *others])
        end = CODE + len(code) if end is None else end
        with contextlib.suppress(unicorn.UcError):
            self.uc.emu_start(CODE, end)
        *found, word, stopped = self.uc.reg_read_batch([*_REGISTERS, x86.UC_X86_REG_EFLAGS, x86.UC_X86_REG_RIP])
        result = 0 if stopped == end else FAILED
        after = {flag: bool(word >> FLAG_BITS[flag] & 1) for flag in FLAGS}
        return Outcome(result, tuple(found), after, self.area_bytes.tobytes())


def place_in(both: Both, member: str) -> int:
    """The address of a member of the area."""
    return both.area.address + offset_of(member)
