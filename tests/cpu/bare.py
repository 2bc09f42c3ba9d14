# SPDX-License-Identifier: GPL-2.0-only
"""A board without a kernel: page tables, descriptor tables and a few instructions, for tests of the hardware alone."""

from __future__ import annotations

import struct

import keystone

from emu.cpu import arch
from emu.cpu.board import Board

KERNEL = 0xFFFF_FFFF_8000_0000
PML4, PDPT_HIGH, PD, PDPT_LOW, PD_USER, PT_USER, GDT, IDT, TSS = (0x10000 + 0x1000 * n for n in range(9))
USER = 0x400000  # virtual; physical 8 MiB
USER_FRAME = 8 << 20
CODE, HANDLERS, STACK = 0x20000, 0x30000, 0x90000
MEMORY = 16 << 20

_assembler = keystone.Ks(keystone.KS_ARCH_X86, keystone.KS_MODE_64)


class Bare:
    """A board of `cpus` x86-64 CPUs that run tests' assembly code. Host calls answered by Python are collected in `calls`."""

    def __init__(
        self, cpus: int = 1, *, quantum: int = 1000, seed: int = 0, timing: str = "static", cpu_model: str | None = None
    ) -> None:
        self.board = Board(arch.load("x86_64"), cpus, MEMORY, quantum, seed, 1_000_000_000, timing, cpu_model)
        self.board.reset_page_table = PML4
        self.calls: list[tuple[int, int, list[int]]] = []
        for address, value in (
            (PML4, PDPT_LOW | 7),
            (PML4 + 511 * 8, PDPT_HIGH | 3),
            (PDPT_HIGH + 510 * 8, PD | 3),
            (PDPT_LOW, PD_USER | 7),
            (PD_USER + 16, PT_USER | 7),
        ):
            self.word(address, value)
        for n in range(MEMORY >> 21):
            self.word(PD + n * 8, n << 21 | 0x83)
        descriptors = (0, 0x00AF9B000000FFFF, 0x00CF93000000FFFF, 0, 0x00CFF3000000FFFF, 0x00AFFB000000FFFF)
        for n, value in enumerate(descriptors):  # 08 code, 10 data, 23 user data, 2b user code, 30 TSS
            self.word(GDT + n * 8, value)
        tss = KERNEL + TSS
        self.word(GDT + 0x30, 0x67 | (tss & 0xFFFFFF) << 16 | 0x89 << 40 | (tss >> 24 & 0xFF) << 56)
        self.word(GDT + 0x38, tss >> 32)
        self.word(TSS + 4, KERNEL + 0x9F000)  # rsp0
        self.bytes(TSS + 0x66, struct.pack("<H", 0x68))  # the I/O bitmap is beyond the limit: no port is open to user mode
        self.bytes(0x1F00, struct.pack("<HQ", 0x3F, KERNEL + GDT))
        self.bytes(0x1F10, struct.pack("<HQ", 0xFFF, KERNEL + IDT))

    def bytes(self, physical: int, data: bytes) -> None:
        self.board.ram[physical : physical + len(data)] = data

    def word(self, physical: int, value: int) -> None:
        self.bytes(physical, struct.pack("<Q", value & 2**64 - 1))

    def read(self, physical: int) -> int:
        return int.from_bytes(self.board.ram[physical : physical + 8], "little")

    def put(self, physical: int, source: str, virtual: int | None = None) -> bytes:
        code = bytes(_assembler.asm(source, virtual or KERNEL + physical)[0])
        self.bytes(physical, code)
        return code

    def gate(self, vector: int, handler: int, *, dpl: int = 0, ist: int = 0) -> None:
        low = handler & 0xFFFF | 8 << 16 | ist << 32 | (0x8E | dpl << 5) << 40 | (handler >> 16 & 0xFFFF) << 48
        self.word(IDT + vector * 16, low)
        self.word(IDT + vector * 16 + 8, handler >> 32)

    def start(self, source: str, *, cpu: int = 0) -> None:
        """Starts a CPU at `source`, after loading the descriptor tables."""
        at = CODE + cpu * 0x1000
        load = "".join(
            f"mov rax, {KERNEL + table:#x}; {name} [rax]; " for name, table in (("lgdt", 0x1F00), ("lidt", 0x1F10))
        ) + f"mov rsp, {KERNEL + STACK - cpu * 0x1000:#x}; " + ("mov ax, 0x30; ltr ax; " if cpu == 0 else "")
        self.put(at, load + source)
        self.board.cpus[cpu].start(KERNEL + at, 0, 0)

    def run(self, turns: int = 100) -> bool:
        """Runs until every CPU sleeps (True), or until `turns` slices have passed (False)."""

        def keep(cpu, number, arguments):
            self.calls.append((cpu.index, number, arguments))
            cpu.answer(0)

        return any(not self.board.run(keep) for _ in range(turns))

    def registers(self, cpu: int = 0):
        return self.board.cpus[cpu].registers()
