# SPDX-License-Identifier: GPL-2.0-only
"""A PC without a kernel: identity paging, an IDT whose handlers count, and some instructions, for tests of the hardware alone."""

from __future__ import annotations

import functools
import struct
from collections.abc import Mapping

import keystone

from emu.cpu.board import Board
from emu.cpu.cpu import Cpu
from emu.cpu.pc import PC_ARCH, Pc

PML4, PDPT, PDS, PT = 0x10000, 0x11000, 0x12000, 0x16000  # PDS: of four GiB
GDT, IDT, TSS = 0x17000, 0x18000, 0x19000
TABLES = 0x1A000  # operands of lgdt and lidt
CODE, HANDLERS, STACKS = 0x20000, 0x40000, 0x90000
RESULTS, COUNTS = 0xA0000, 0x800  # each CPU has a page for what its code finds; from COUNTS on, how often vectors came
SCRATCH = 0x100000
WINDOW = 1 << 30  # 2 MiB of virtual addresses of which tests map single pages
MEMORY = 16 << 20
PRESENT, WRITABLE, USER, LARGE = 1, 2, 4, 0x80

APIC, IO_APIC = 0xFEE0_0000, 0xFEC0_0000
ID, VERSION, TPR, PPR, EOI, LDR, DFR, SVR = 0x20, 0x30, 0x80, 0xA0, 0xB0, 0xD0, 0xE0, 0xF0
ISR, TMR, IRR, ESR, ICR, ICR_HIGH = 0x100, 0x180, 0x200, 0x280, 0x300, 0x310
LVT_TIMER, LVT_ERROR, INITIAL, CURRENT, DIVIDE = 0x320, 0x370, 0x380, 0x390, 0x3E0
TSC_DEADLINE = 0x6E0
ENABLE = 0x1FF  # the value of SVR that enables the APIC

_assembler = keystone.Ks(keystone.KS_ARCH_X86, keystone.KS_MODE_64)


@functools.cache
def assemble(source: str, address: int) -> bytes:
    return bytes(_assembler.asm(source, address)[0])


def write(register: int, value: int) -> str:
    """Code that writes a register of the local APIC."""
    return f"mov dword ptr [rbp + {register:#x}], {value:#x}; "


def send(low: int, high: int = 0) -> str:
    """Code that sends an interrupt message."""
    return write(ICR_HIGH, high << 24) + write(ICR, low)


def wrmsr(number: int, value: int) -> str:
    return f"mov ecx, {number:#x}; mov eax, {value & 0xFFFF_FFFF:#x}; mov edx, {value >> 32:#x}; wrmsr; "


def rdmsr(number: int) -> str:
    """Code that leaves the value in RAX."""
    return f"mov ecx, {number:#x}; rdmsr; shl rdx, 32; or rax, rdx; "


TSC = "rdtsc; shl rdx, 32; or rax, rdx; "  # code that leaves the time in RAX


def wait(count: int) -> str:
    """Code that takes twice as many cycles, in blocks of two."""
    return f"mov ecx, {count}; .byte 0xff, 0xc9, 0x75, 0xfc; "  # dec ecx; jnz to it


BOUNDARY = ".byte 0xeb, 0; "  # a jump to the next instruction: interrupts come between blocks


def gate(vector: int, handler: int) -> bytes:
    low = handler & 0xFFFF | 0x10 << 16 | 0x8E << 40 | (handler >> 16 & 0xFFFF) << 48
    return struct.pack("<QQ", low, 0)


@functools.cache
def _image() -> bytes:
    """Memory from PML4 to HANDLERS' end: tables, and handlers that count."""
    image = bytearray(STACKS - PML4)

    def put(address: int, data: bytes) -> None:
        image[address - PML4 : address - PML4 + len(data)] = data

    rights = PRESENT | WRITABLE | USER
    put(PML4, struct.pack("<Q", PDPT | rights))
    put(PDPT, struct.pack("<4Q", *(PDS + 0x1000 * n | rights for n in range(4))))
    put(PDS, struct.pack("<2048Q", *(n << 21 | rights | LARGE for n in range(2048))))
    put(PDS + 0x1000, struct.pack("<Q", PT | rights))
    put(GDT + 0x10, struct.pack("<4Q", 0xAF9B00_0000FFFF, 0xCF9300_0000FFFF, 0xCFF300_0000FFFF, 0xAFFB00_0000FFFF))
    put(GDT + 0x30, struct.pack("<2Q", 0x67 | TSS << 16 | 0x89 << 40, 0))  # 10 code, 18 data, 20 and 28 the user's, 30 TSS
    put(TSS + 4, struct.pack("<Q", STACKS + 0xF000))
    put(TSS + 0x66, struct.pack("<H", 0x68))  # the bitmap of ports is beyond the limit
    put(TABLES, struct.pack("<HQ", 0x3F, GDT))
    put(TABLES + 16, struct.pack("<HQ", 0xFFF, IDT))
    for vector in (2, *range(32, 256)):
        end = "" if vector == 2 else write(EOI, 0)
        put(HANDLERS + 0x100 * vector, assemble(f"inc dword ptr [r15 + {COUNTS + 4 * vector}]; {end}iretq", 0))
        put(IDT + 16 * vector, gate(vector, HANDLERS + 0x100 * vector))
    return bytes(image)


class BarePc:
    """A PC of `cpus` CPUs that run tests' assembly code.

    Registers in that code: RBP is the address of the local APIC, R15 the CPU's page of results, R14 the next result's place.
    The handler of a vector counts in the CPU's page and ends the interrupt; `handle` replaces it.
    """

    def __init__(self, cpus: int = 1, *, quantum: int = 1000, seed: int = 0, frequency: int = 1_000_000_000) -> None:
        self.board = board = Board(PC_ARCH, cpus, MEMORY, quantum, seed, frequency)
        self.pc = Pc(board)
        board.reset_page_table = PML4
        self.bytes(PML4, _image())

    # Memory

    def bytes(self, address: int, data: bytes) -> None:
        self.board.ram[address : address + len(data)] = data

    def word(self, address: int, value: int) -> None:
        self.bytes(address, struct.pack("<Q", value & 2**64 - 1))

    def read(self, address: int) -> int:
        return int.from_bytes(self.board.ram[address : address + 8], "little")

    def map(self, page: int, frame: int) -> int:
        """Maps a page of WINDOW. Returns its virtual address."""
        self.word(PT + 8 * page, frame | PRESENT | WRITABLE | USER)
        return WINDOW + 0x1000 * page

    # Code

    def put(self, address: int, source: str) -> bytes:
        code = assemble(source, address)
        self.bytes(address, code)
        return code

    def handle(self, vector: int, source: str) -> None:
        """The code that handles a vector."""
        address = HANDLERS + 0x100 * vector
        assert len(self.put(address, source)) <= 0x100
        self.bytes(IDT + 16 * vector, gate(vector, address))

    def load(self, source: str, cpu: int = 0) -> None:
        """Puts code where a CPU will start, after the code that loads its tables and enables its APIC."""
        results = RESULTS + 0x1000 * cpu
        for page in range(CODE + 0x2000 * cpu, CODE + 0x2000 * (cpu + 1), 0x1000):
            self.board.flush_page(page)
        self.put(
            CODE + 0x2000 * cpu,
            f"lgdt [{TABLES}]; lidt [{TABLES + 16}]; mov rsp, {STACKS + 0x1000 * cpu + 0xFF8:#x}; "
            + ("mov ax, 0x30; ltr ax; " if cpu == 0 else "")
            + f"mov rbp, {APIC:#x}; mov r15, {results:#x}; mov r14, r15; "
            + write(SVR, ENABLE)
            + source
            + "; cli; hlt",
        )

    def begin(self, cpu: int = 0) -> None:
        """Starts a CPU at its code."""
        self.bytes(GDT + 0x35, b"\x89")  # the task is not busy
        self.pc.apics[cpu].waits_for_start = False
        self.board.cpus[cpu].start(CODE + 0x2000 * cpu, 0, 0)

    def start(self, source: str, cpu: int = 0) -> None:
        self.load(source, cpu)
        self.begin(cpu)

    def run(self, *sources: str, turns: int = 40) -> BarePc:
        """Runs code on the CPUs until all of them sleep."""
        for n, source in enumerate(sources):
            self.start(source, n)
        assert any(not self.moment() for _ in range(turns)), f"CPUs are at {[hex(cpu.pc) for cpu in self.board.cpus]}"
        return self

    def moment(self) -> bool:
        """Runs until the board returns. Returns whether anything else can happen."""
        return self.board.run(_no_call)

    # Results

    def results(self, cpu: int = 0) -> list[int]:
        """What `keep` has kept."""
        base = RESULTS + 0x1000 * cpu
        end = self.registers(cpu)["r14"]
        return [self.read(at) for at in range(base, end, 8)]

    def count(self, vector: int, cpu: int = 0) -> int:
        """How often the handler of a vector has run."""
        return self.read(RESULTS + 0x1000 * cpu + COUNTS + 4 * vector) & 0xFFFF_FFFF

    def counts(self, cpu: int = 0) -> Mapping[int, int]:
        return {vector: times for vector in range(256) if (times := self.count(vector, cpu))}

    def registers(self, cpu: int = 0) -> Mapping[str, int]:
        return self.board.cpus[cpu].registers()

    def clocks(self) -> list[int]:
        return [cpu.cycles for cpu in self.board.cpus]


def out(port: int, value: int, size: int = 1) -> str:
    """Code that writes to an I/O port."""
    return f"mov dx, {port:#x}; mov eax, {value:#x}; out dx, {_ACCUMULATOR[size]}; "


def into(port: int, size: int = 1) -> str:
    """Code that keeps what it reads from an I/O port."""
    return f"mov dx, {port:#x}; xor eax, eax; in {_ACCUMULATOR[size]}, dx; {KEEP}"


_ACCUMULATOR = {1: "al", 2: "ax", 4: "eax"}
KEEP = "mov [r14], rax; add r14, 8; "  # code that keeps RAX as the next result


def keep(*registers: int) -> str:
    """Code that keeps registers of the local APIC as results."""
    return "".join(f"mov eax, [rbp + {register:#x}]; {KEEP}" for register in registers)


def results(*sources: str, quantum: int = 1000, frequency: int = 1_000_000_000) -> list[int]:
    """The results of code on the first CPU of a new PC, whose other CPUs run other code."""
    return BarePc(len(sources), quantum=quantum, frequency=frequency).run(*sources).results()


def _no_call(cpu: Cpu, number: int, arguments: list[int]) -> None:
    raise AssertionError("a PC has no host calls")
