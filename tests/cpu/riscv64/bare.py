# SPDX-License-Identifier: GPL-2.0-only
"""A RISC-V board without a kernel: a page table, a trap vector and a few instructions, for tests of the hardware alone."""

from __future__ import annotations

import functools
import subprocess
import tempfile
from pathlib import Path

from emu.cpu import arch
from emu.cpu.board import Board
from emu.cpu.devices import provide_devices
from tests.lib.needs import needs

KERNEL = 0xFFFF_FFC0_0000_0000
ROOT, MIDDLE, LEAVES = 0x8000, 0x9000, 0xA000  # page tables; those of the first 2 MiB of user space
CODE, VECTOR, STACK, DATA = 0x30000, 0x40000, 0x9E000, 0x50000
USER, FRAME = 0x1000, 0x60000  # a program: virtual and physical address
MEMORY = 16 << 20
V, R, W, X, U, G, A, D = (1 << n for n in range(8))  # bits of a page table's entry
TIMER, IPI, STALL, RELAX, TIMER_VECTOR = 5, 6, 9, 18, 40
HOST_CALL = "li a7,{}; ecall;"
STOP = HOST_CALL.format(60) + "99: j 99b;"
# Stores what has trapped at DATA, and stops
SAVE = f"li t0,{KERNEL + DATA:#x}; " + "".join(
    f"csrr t1,{name}; sd t1,{n * 8}(t0);" for n, name in enumerate(("scause", "sepc", "stval", "sstatus"))
)
TO_USER = f"li t0,{USER:#x}; csrw sepc,t0; li t0,0x100; csrc sstatus,t0; sret"

pytestmark = needs("riscv64-linux-gnu-as", "riscv64-linux-gnu-ld", "riscv64-linux-gnu-objcopy")


@functools.cache
def assemble(source: str) -> bytes:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "a.s").write_text(source.replace(";", "\n") + "\n")
        subprocess.run(["riscv64-linux-gnu-as", "-march=rv64gc_zicsr_zifencei", "-o", "a.o", "a.s"], cwd=folder, check=True)
        subprocess.run(["riscv64-linux-gnu-ld", "-Ttext=0", "-e0", "-o", "a.elf", "a.o"], cwd=folder, check=True)
        subprocess.run(["riscv64-linux-gnu-objcopy", "-O", "binary", "-j", ".text", "a.elf", "a.bin"], cwd=folder, check=True)
        return (folder / "a.bin").read_bytes()


def entry(physical: int, bits: int) -> int:
    """A page table's entry."""
    return physical >> 12 << 10 | bits


class Bare:
    """A board of RISC-V CPUs that run tests' assembly code. Host calls answered by Python are collected in `calls`."""

    def __init__(self, cpus: int = 1, *, quantum: int = 1000, seed: int = 0) -> None:
        self.board = Board(arch.load("riscv64"), cpus, MEMORY, quantum, seed, 1_000_000_000)
        provide_devices(self.board, timer=TIMER, ipi=IPI, stall=STALL, timer_vector=TIMER_VECTOR, relax=RELAX)
        self.board.reset_page_table = ROOT
        self.calls: list[tuple[int, int, list[int]]] = []
        self.word(ROOT + 8 * 256, V | R | W | X | G | A | D)  # 1 GiB at KERNEL
        self.word(ROOT, entry(MIDDLE, V))
        self.word(MIDDLE, entry(LEAVES, V))

    def bytes(self, physical: int, data: bytes) -> None:
        self.board.ram[physical : physical + len(data)] = data

    def word(self, physical: int, value: int) -> None:
        self.bytes(physical, value.to_bytes(8, "little"))

    def read(self, physical: int) -> int:
        return int.from_bytes(self.board.ram[physical : physical + 8], "little")

    def map(self, virtual: int, physical: int, bits: int) -> None:
        """A page of the first 2 MiB of user space."""
        self.word(LEAVES + (virtual >> 12) * 8, entry(physical, bits) if bits else 0)

    def put(self, physical: int, source: str) -> bytes:
        code = assemble(source)
        self.bytes(physical, code)
        return code

    def start(self, source: str, *, cpu: int = 0) -> None:
        at = CODE + cpu * 0x4000
        stack = KERNEL + STACK - cpu * 0x4000
        self.put(at, f"li t0,{KERNEL + VECTOR:#x}; csrw stvec,t0; li sp,{stack:#x};" + source)
        self.board.cpus[cpu].start(KERNEL + at, 0, 0)

    def start_program(self, source: str) -> None:
        """Runs a program at USER; the page behind it holds data."""
        self.put(FRAME, source)
        self.map(USER, FRAME, V | R | X | U | A)
        self.map(USER + 0x1000, FRAME + 0x1000, V | R | W | U | A | D)
        self.start(TO_USER)

    def run(self, turns: int = 300, *, limit: int | None = None, wanted: int = 1) -> bool:
        """Runs until `wanted` CPUs have executed STOP (True), or nothing more happens."""

        def keep(cpu, number, arguments):
            self.calls.append((cpu.index, number, arguments))
            cpu.answer(0)

        if limit:
            self.board.limit = limit
        for _ in range(turns):
            goes_on = self.board.run(keep)
            if sum(number == 60 for _, number, _ in self.calls) >= wanted:
                return True
            if not goes_on:
                return False
        raise AssertionError(f"not finished: {[hex(cpu.pc) for cpu in self.board.cpus]}")

    def trapped(self) -> list[int]:
        """scause, sepc and stval that SAVE has stored."""
        return [self.read(DATA + 8 * n) for n in range(3)]

    def registers(self, cpu: int = 0):
        return self.board.cpus[cpu].registers()
