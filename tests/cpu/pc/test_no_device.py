# SPDX-License-Identifier: GPL-2.0-only
"""Physical addresses at which there is neither RAM nor a device: as on a PC's bus, nobody answers."""

from __future__ import annotations

import pytest

from tests.cpu.pc.bare_pc import APIC, IO_APIC, KEEP, MEMORY, BarePc

INVALID_OPCODE = 6
NOWHERE = (MEMORY, 3 << 30, IO_APIC - 8, IO_APIC + 0x1000, APIC - 8, APIC + 0x1000, (1 << 32) + 8, (1 << 40) - 0x1000)


def run(physical: int, source: str) -> BarePc:
    """Runs code that has an address in RBX, at which there is nothing."""
    pc = BarePc()
    virtual = pc.map(0, physical & ~0xFFF) + (physical & 0xFFF)
    pc.handle(INVALID_OPCODE, "mov [r14], rsp; add r14, 8; cli; hlt")
    return pc.run(f"mov rbx, {virtual:#x}; {source}")


@pytest.mark.parametrize("physical", NOWHERE, ids=hex)
def test_reads_give_ones_and_writes_are_lost(physical: int) -> None:
    reads = "".join(f"xor eax, eax; mov {register}, [rbx]; {KEEP}" for register in ("al", "ax", "eax", "rax"))
    written = "mov qword ptr [rbx], 0x1234; mov byte ptr [rbx + 7], 0; lock inc dword ptr [rbx]; "
    assert run(physical, reads + written + reads).results() == [0xFF, 0xFFFF, 0xFFFF_FFFF, 2**64 - 1] * 2


@pytest.mark.parametrize("physical", NOWHERE, ids=hex)
def test_code_is_invalid(physical: int) -> None:
    """FF FF is no instruction."""
    pc = run(physical, "jmp rbx")
    [stack] = pc.results()
    assert pc.read(stack) == pc.map(0, physical & ~0xFFF) + (physical & 0xFFF)


def test_a_page_table_there_is_full_of_reserved_bits() -> None:
    pc = BarePc()
    pc.handle(14, f"mov rax, [rsp]; {KEEP}cli; hlt")
    pc.word(0x11000 + 8 * 2, MEMORY | 7)  # the page directory of the third GiB
    pc.run("mov rax, cr3; mov cr3, rax; mov eax, 0x80000000; mov rax, [rax]")
    assert pc.results() == [0b1001]  # present, reserved bit
