# SPDX-License-Identifier: GPL-2.0-only
"""A SPARC V9 board without a kernel: a trap table and a few instructions, for tests of the hardware alone."""

from __future__ import annotations

import functools
import subprocess
import tempfile
from pathlib import Path

from emu.cpu import arch
from emu.cpu.board import Board
from tests.lib.needs import needs

KERNEL = 0xFFFF_F800_0000_0000
TABLE, CODE, HANDLERS, STACK, DATA = 0x18000, 0x30000, 0x40000, 0x9E000, 0x50000
MEMORY = 16 << 20
HOST_CALL = "mov {}, %g1; ta 0x7e;"
_WINDOW = [*(f"l{n}" for n in range(8)), *(f"i{n}" for n in range(8))]
SPILL = ";".join(f"stx %{name},[%sp+2047+{n * 8}]" for n, name in enumerate(_WINDOW)) + "; saved; retry"
FILL = ";".join(f"ldx [%sp+2047+{n * 8}],%{name}" for n, name in enumerate(_WINDOW)) + "; restored; retry"

pytestmark = needs("sparc64-linux-gnu-as", "sparc64-linux-gnu-objcopy")


@functools.cache
def assemble(source: str) -> bytes:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = ".register %g2,#scratch; .register %g3,#scratch; .register %g6,#scratch; .register %g7,#scratch\n" + source + "\n"
        (folder / "a.s").write_text(text.replace(";", "\n"))
        subprocess.run(["sparc64-linux-gnu-as", "-Av9a", "-64", "-o", "a.o", "a.s"], cwd=folder, check=True)
        subprocess.run(["sparc64-linux-gnu-objcopy", "-O", "binary", "-j", ".text", "a.o", "a.bin"], cwd=folder, check=True)
        return (folder / "a.bin").read_bytes()


class Bare:
    """A board of SPARC CPUs that run tests' assembly code. Host calls answered by Python are collected in `calls`."""

    def __init__(self, cpus: int = 1, *, quantum: int = 1000, seed: int = 0) -> None:
        self.board = Board(arch.load("sparc64"), cpus, MEMORY, quantum, seed, 1_000_000_000)
        self.calls: list[tuple[int, int, list[int]]] = []
        self.trap(0x24, "rdpr %cleanwin, %l0; inc %l0; wrpr %l0, 0, %cleanwin; retry")
        for at_level in (0, 0x200):
            self.trap(at_level + 0x80, SPILL)
            self.trap(at_level + 0xC0, FILL)

    def bytes(self, physical: int, data: bytes) -> None:
        self.board.ram[physical : physical + len(data)] = data

    def read(self, physical: int) -> int:
        return int.from_bytes(self.board.ram[physical : physical + 8], "big")

    def put(self, physical: int, source: str) -> bytes:
        code = assemble(source)
        self.bytes(physical, code)
        return code

    def trap(self, number: int, source: str) -> None:
        """The code of a trap-table entry (numbers from 0x200: TL > 0)."""
        code = self.put(TABLE + number * 32, source)
        assert len(code) <= (128 if number & 0x180 == 0x80 or number & 0x1FF in (0x24, 0x64, 0x68, 0x6C) else 32), hex(number)

    def start(self, source: str, *, cpu: int = 0) -> None:
        at = CODE + cpu * 0x2000
        self.put(at, f"setx {KERNEL + TABLE:#x}, %g1, %g2; wrpr %g2, 0, %tba;"
                     f"setx {KERNEL + STACK - cpu * 0x4000 - 2047 - 192:#x}, %g1, %sp;" + source)  # fmt: skip
        self.board.cpus[cpu].start(KERNEL + at, 0, 0)

    def run(self, turns: int = 100, limit: int | None = None) -> bool:
        def keep(cpu, number, arguments):
            self.calls.append((cpu.index, number, arguments))
            cpu.answer(0)

        if limit:
            self.board.limit = limit
        return any(not self.board.run(keep) for _ in range(turns))

    def registers(self, cpu: int = 0):
        return self.board.cpus[cpu].registers()
