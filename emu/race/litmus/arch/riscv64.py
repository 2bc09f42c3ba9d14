# SPDX-License-Identifier: GPL-2.0-only
"""Litmus tests on RISC-V: sv39 tables for the test's pages, and a trap vector at which CPUs end.

As in Unicorn, SC succeeds if the word still holds, or holds again, what LR has read.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping, Set
from typing import ClassVar

import capstone

from emu.cpu.arch.riscv64.state import ALL_TRAPS, REGISTERS, Env
from emu.cpu.board import Board
from emu.cpu.cpu import Cpu
from emu.race.litmus.arch import CODE, DATA, STACK_SIZE, STACKS, Decoded, LitmusArch, Order, Register
from emu.race.litmus.arch.riscv64_assembler import FENCES, assembled

__all__ = ["ARCH"]

_ROOT, _MIDDLE, _LEAVES, _VECTOR = range(0x20000, 0x24000, 0x1000)
_VALID, _READ, _WRITE, _EXECUTE, _USED = 1, 2, 4, 8, 0xC0  # A and D (Privileged ISA, "Sv39")
_SELF = 0x6F  # jal zero, 0
_CAUSES = {
    0: "instruction_address_misaligned", 1: "instruction_access_fault", 2: "illegal_instruction", 3: "breakpoint",
    4: "load_address_misaligned", 5: "load_access_fault", 6: "store_address_misaligned", 7: "store_access_fault",
    9: "environment_call", 12: "instruction_page_fault", 13: "load_page_fault", 15: "store_page_fault",
}  # fmt: skip


_NAMES = re.compile(r"(?<!^)\b[a-z]\w*\b(?!\s*:)")


class Riscv64(LitmusArch):
    """RV64IMAC (The RISC-V Instruction Set Manual)."""

    name: ClassVar[str] = "riscv64"
    language: ClassVar[str] = "an instruction of RISC-V that litmus tests know"
    keystone_mode: ClassVar[tuple[int, int] | None] = None
    capstone_mode: ClassVar[tuple[int, int]] = (capstone.CS_ARCH_RISCV, capstone.CS_MODE_RISCV64 | capstone.CS_MODE_RISCVC)
    longest: ClassVar[int] = 4
    filler: ClassVar[bytes] = bytes(2)
    padding: ClassVar[bytes] = bytes.fromhex("0100")  # c.nop
    registers: ClassVar[Mapping[str, Register]] = {
        **{name: Register(name, 0, 64) for name in REGISTERS[1:]}, "fp": Register("s0", 0, 64),
        **{f"x{n}": Register(name, 0, 64) for n, name in enumerate(REGISTERS) if n},
    }  # fmt: skip
    words: ClassVar[Set[str]] = {*registers, "zero", "x0", *FENCES}
    aliases: ClassVar[Mapping[str, str]] = {}

    herd_head: ClassVar[str] = "RISCV"
    data_model: ClassVar[str] = (
        "stores wait in a buffer of their CPU (Ztso; RVWMO permits more, and where it does, nothing is shown)"
    )

    def assembled(self, source: str, address: int) -> bytes:
        return assembled(source, address)

    def for_herd(self, line: str) -> str:
        return _NAMES.sub(lambda found: self.for_herd_register(found[0]), line)

    def for_herd_register(self, name: str) -> str:
        return f"x{REGISTERS.index(self.registers[name].whole)}" if name in self.registers else "x0" if name == "zero" else name

    def for_herd_condition(self, text: str) -> str:
        return re.sub(r"(\d+):(\w+)", lambda found: f"{found[1]}:{self.for_herd_register(found[2])}", text)

    def readings(self, code: bytes, address: int) -> Iterator[Decoded]:
        """An instruction that capstone does not know has its length, too: its first two bits say it."""
        yield from super().readings(code, address)
        size = 4 if code[:1] and code[0] & 3 == 3 else 2
        if len(code) >= size:
            yield Decoded(size, f".{size}byte", f"{int.from_bytes(code[:size], 'little'):#x}")

    def serialises(self, instruction: Decoded) -> bool:
        return instruction.mnemonic == "fence.i"

    def order(self, instruction: Decoded) -> Order:
        if instruction.mnemonic == "fence":
            before, _, after = instruction.operands.partition(",")
            full = not instruction.operands or ("w" in before and "r" in after)
            return Order.STORES if full else Order.NOTHING
        return Order.STORES if instruction.mnemonic.startswith(("fence.i", "amo", "sc.")) else Order.NOTHING

    def prepare(self, board: Board) -> None:
        def entry(table: int, index: int, page: int, bits: int) -> None:
            board.ram[table + 8 * index : table + 8 * index + 8] = struct.pack("<Q", page >> 12 << 10 | bits | _VALID)

        entry(_ROOT, 0, _MIDDLE, 0)
        entry(_MIDDLE, 0, _LEAVES, 0)
        for page in (CODE, DATA):
            entry(_LEAVES, page >> 12, page, _READ | _WRITE | _EXECUTE | _USED)
        entry(_LEAVES, _VECTOR >> 12, _VECTOR, _READ | _EXECUTE | _USED)
        board.ram[_VECTOR : _VECTOR + 4] = struct.pack("<I", _SELF)
        board.reset_page_table = _ROOT

    def start(self, cpu: Cpu, entry: int, registers: Mapping[str, int]) -> None:
        cpu.start(entry, 0, 0)
        env = Env.from_address(cpu.env)
        env.stvec = _VECTOR
        for name, value in {"a0": 0, "a1": 0, "sp": STACKS + STACK_SIZE * (cpu.index + 1), **registers}.items():
            env.gpr[REGISTERS.index(name)] = value

    def settle(self, cpu: Cpu) -> None:
        env = Env.from_address(cpu.env)
        if env.load_res == ALL_TRAPS:  # no reservation
            env.load_val = 0

    def fault(self, cpu: Cpu) -> str:
        cause: int = Env.from_address(cpu.env).scause
        return _CAUSES.get(cause, f"cause {cause:#x}") if cpu.pc == _VECTOR else ""


ARCH = Riscv64()
