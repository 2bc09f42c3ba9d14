# SPDX-License-Identifier: GPL-2.0-only
"""Accesses that the host emulates instead of an instruction: they have the same effect as on the CPU."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import pytest
import unicorn.x86_const as x86

from emu.cpu.arch.x86_64.state import GENERAL_REGISTERS
from emu.cpu.io_window import IoWindow
from emu.cpu.native.cpu_records import RUNNING
from emu.kernel import arch as kernel_arch
from emu.kernel.arch import Access, x86_64_access
from emu.kernel.image import read_image
from emu.kernel.memory import GuestMemory
from emu.machine import image_directory
from tests.cpu.bare import KERNEL, PD, Bare

IO = KERNEL + (200 << 21)  # where the device is mapped
INSTRUCTION, SAVED, DATA = 0x50000, 0x60000, 0x70000
OFFSET = 0x408  # aligned: Unicorn splits an unaligned access into several, which the device counts
DF = 0x400
NAMES = [*GENERAL_REGISTERS, "ip"]

REGISTERS = {
    1: ("al", "ah", "dh", "sil", "bpl", "r8b", "r15b"),
    2: ("ax", "di", "r9w"),
    4: ("eax", "ebp", "r10d"),
    8: ("rax", "rsi", "r11"),
}
SIZES = {1: "byte", 2: "word", 4: "dword", 8: "qword"}


class State(NamedTuple):
    """Everything that an instruction can change."""

    registers: Mapping[str, int]
    device: bytes
    data: bytes


class Bench:
    """A bare board with its device mapped, on which an instruction is executed, or emulated without the CPU."""

    def __init__(self) -> None:
        self.bare = Bare()
        self.bare.start("hlt")
        self.bare.run()
        assert isinstance(self.bare.board.io, IoWindow)
        self.io = self.bare.board.io
        self.bare.word(PD + 200 * 8, self.io.addresses.start | 0x83)
        image = read_image(image_directory("x86_64") / "vmlinux", machine=kernel_arch.load("x86_64").elf_machine)
        self.memory = GuestMemory(self.bare.board, image)
        self.cpu = self.bare.board.cpus[0]

    def prepare(self, source: str | bytes, given: Mapping[str, int], flags: int) -> dict[str, int]:
        """Puts an instruction into memory and random data elsewhere. Returns the initial registers."""
        noise = random.Random(7)
        self.io.device.words[:] = [noise.getrandbits(64) for _ in self.io.device.words]
        self.bare.bytes(DATA, noise.randbytes(4096))
        self.bare.put(INSTRUCTION, source) if isinstance(source, str) else self.bare.bytes(INSTRUCTION, source)
        registers = {name: noise.getrandbits(64) for name in GENERAL_REGISTERS}
        return {**registers, "sp": KERNEL + 0x80000, **given, "ip": KERNEL + INSTRUCTION, "flags": 2 | flags}

    def executed(self, source: str | bytes, given: Mapping[str, int], flags: int) -> State:
        """The state after the CPU has executed an instruction."""
        uc = self.cpu.uc
        for name, value in self.prepare(source, given, flags).items():
            uc.reg_write(getattr(x86, f"UC_X86_REG_{'E' if name == 'flags' else 'R' * (name[0] != 'r')}{name.upper()}"), value)
        self.cpu.record.status = RUNNING
        self.bare.board.flush_page(INSTRUCTION)
        self.cpu.step()
        if self.cpu.pc == KERNEL + INSTRUCTION and not self.cpu.registers()["rcx"]:
            self.cpu.step()  # the repetition ends
        after = self.cpu.registers()
        return self.state({name: after[name if name[0] == "r" else f"r{name}"] for name in NAMES})

    def done(self, source: str | bytes, given: Mapping[str, int], flags: int, address: int) -> tuple[State, Access | None]:
        """The state after the emulated access, and the access."""
        saved = KERNEL + SAVED
        for name, value in self.prepare(source, given, flags).items():
            self.memory.set_member(saved, f"pt_regs.{name}", value)
        physical = self.io.addresses.start + address - IO
        access = x86_64_access.access(self.memory, self.cpu, saved, address, physical, 0x1000)
        return self.state({name: self.memory.member(saved, f"pt_regs.{name}") for name in NAMES}), access

    def state(self, registers: Mapping[str, int]) -> State:
        return State(registers, self.io.device.words.tobytes(), bytes(self.bare.board.ram[DATA : DATA + 4096]))


@pytest.fixture(scope="module")
def bench() -> Bench:
    return Bench()


def moves() -> Iterator[tuple[str, bool, int]]:
    """Each instruction, whether it writes, and its number of bytes."""
    place = "ptr [rbx + 2 * rcx - 6]"
    for size, names in REGISTERS.items():
        for name in names:
            shown = "ptr [rbx]" if name == "ah" or name == "dh" else place
            yield f"mov {SIZES[size]} {shown}, {name}", True, size
            yield f"mov {name}, {SIZES[size]} {shown}", False, size
        yield f"mov {SIZES[size]} {place}, {0x71 if size == 1 else -3 if size == 8 else 0x7F31}", True, size
    for name, size in (("ax", 1), ("edx", 1), ("rsi", 1), ("edi", 2), ("r9", 2)):
        yield f"movzx {name}, {SIZES[size]} {place}", False, size
        yield f"movsx {name}, {SIZES[size]} {place}", False, size
    yield f"movsxd r10, dword {place}", False, 4
    yield f"movnti qword {place}, r8", True, 8


def test_a_move_is_what_the_cpu_does(bench: Bench) -> None:
    for source, written, width in moves():
        address = IO + OFFSET
        given = {"bx": address - (0 if "[rbx]" in source else 2 * 5 - 6), "cx": 5}
        state, access = bench.done(source, given, 0, address)
        assert state == bench.executed(source, given, 0), source
        assert access is not None, source
        assert (access.written, access.width) == (written, width)
        assert access.value == int.from_bytes(state.device[OFFSET : OFFSET + width], "little"), source


@pytest.mark.parametrize("flags", [0, DF])
@pytest.mark.parametrize("repeat", [b"", b"\xf3"])
def test_a_string_instruction_is_what_the_cpu_does(bench: Bench, repeat: bytes, flags: int) -> None:
    """Only one element."""
    inside, outside = IO + OFFSET, KERNEL + DATA + 512
    for prefix, wide in ((b"", 0), (b"\x66", 1), (b"", 1), (b"\x48", 1)):
        for opcode, given in (
            (0xAA, {"di": inside}),  # stos
            (0xAC, {"si": inside}),  # lods
            (0xA4, {"si": inside, "di": outside}),  # movs
            (0xA4, {"si": outside, "di": inside}),
        ):
            for count in (1, 3):
                registers = {**given, "cx": count}
                code = repeat + prefix + bytes([opcode + wide])
                state, access = bench.done(code, registers, flags, inside)
                assert state == bench.executed(code, registers, flags), (code, count)
                assert access is not None
                assert access.written == (registers.get("di") == inside)


@pytest.mark.parametrize(
    "source",
    [
        "add dword ptr [rbx], eax", "xchg eax, dword ptr [rbx]", "movups xmmword ptr [rbx], xmm0", "cmp byte ptr [rbx], 1",
        "push qword ptr [rbx]", "mov dword ptr gs:[rbx], eax", "mov dword ptr [ebx], eax", "mov eax, dword ptr [rbx + 1]",
        "movsd xmm0, qword ptr [rbx]", "mov word ptr [rbx], ds", "cmpsb", "movsb", "stosb",
    ],
)  # fmt: skip
def test_nothing_happens_for_an_unknown_instruction(bench: Bench, source: str) -> None:
    """Nor if the address is not the one that it accesses."""
    given = {"bx": IO + OFFSET, "di": KERNEL + DATA, "si": KERNEL + DATA + 8}
    before = bench.prepare(source, given, 0)
    state, access = bench.done(source, given, 0, IO + OFFSET)
    assert access is None
    assert state == bench.state({name: before[name] for name in NAMES})


def test_an_access_ends_where_the_device_does(bench: Bench) -> None:
    saved = KERNEL + SAVED
    for name, value in bench.prepare("mov dword ptr [rbx], eax", {"bx": IO + OFFSET}, 0).items():
        bench.memory.set_member(saved, f"pt_regs.{name}", value)
    physical = bench.io.addresses.start + OFFSET
    assert x86_64_access.access(bench.memory, bench.cpu, saved, IO + OFFSET, physical, 3) is None
    assert x86_64_access.access(bench.memory, bench.cpu, saved, IO + OFFSET, physical, 4) is not None
