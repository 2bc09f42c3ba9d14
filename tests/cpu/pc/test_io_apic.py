# SPDX-License-Identifier: GPL-2.0-only
"""The I/O APIC (Intel 82093AA, section 3), with the first serial port's line at pin 4: it is active while a byte waits."""

from __future__ import annotations

import pytest

from emu.cpu.native.pc.records import PINS
from tests.cpu.pc.bare_pc import BOUNDARY, DFR, EOI, IO_APIC, KEEP, LDR, TMR, TPR, BarePc, keep, out, results, wait, write

PIN, PORT, VECTOR = 4, 0x3F8, 0x62
ID, VERSION, ARBITRATION, REDIRECTIONS = 0, 1, 2, 0x10
LOGICAL, ACTIVE_LOW, REMOTE_IRR, LEVEL, MASKED = 1 << 11, 1 << 13, 1 << 14, 1 << 15, 1 << 16
LOWEST, NMI = 1 << 8, 4 << 8
LISTEN = out(PORT + 4, 8) + out(PORT + 1, 1)  # OUT2; interrupts when data is available
TAKE = f"mov dx, {PORT:#x}; in al, dx; "


def select(register: int) -> str:
    return f"mov ebx, {IO_APIC:#x}; mov dword ptr [rbx], {register:#x}; "


def store(register: int, value: int) -> str:
    return select(register) + f"mov dword ptr [rbx + 0x10], {value:#x}; "


def load(*registers: int) -> str:
    return "".join(select(register) + "mov eax, [rbx + 0x10]; " + KEEP for register in registers)


def redirect(value: int, destination: int = 0) -> str:
    return store(REDIRECTIONS + 2 * PIN + 1, destination << 24) + store(REDIRECTIONS + 2 * PIN, value)


ENTRY = load(REDIRECTIONS + 2 * PIN)


def given(code: str, *others: str, data: bytes = b"x") -> BarePc:
    """Runs code on a PC whose first serial port has received something."""
    pc = BarePc(1 + len(others))
    pc.pc.serial[0].give(data)
    return pc.run("sti; " + code, *others)


def test_identification() -> None:
    """3.2.1 to 3.2.3: the ID's four bits can be written, and are the arbitration ID, too; version 0x11 with 24 pins."""
    code = load(ID, VERSION, ARBITRATION) + store(ID, 0xFFFF_FFFF) + store(VERSION, 0) + store(ARBITRATION, 0) + load(ID,
        VERSION, ARBITRATION)
    assert results(code) == [1 << 24, 0x17_0011, 1 << 24, 0xF << 24, 0x17_0011, 0xF << 24]


def test_the_register_select() -> None:
    """3.1.1: eight bits. Registers that do not exist read as zeros."""
    code = store(0x1FF, 7) + "mov eax, [rbx]; " + KEEP + "mov eax, [rbx + 4]; " + KEEP + load(3, 0xF, 0x40, 0xFF)
    assert results(code) == [0xFF, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("pin", [0, PINS - 1])
def test_redirections(pin: int) -> None:
    """3.2.4: masked at reset; reserved and status bits are not written."""
    low, high = REDIRECTIONS + 2 * pin, REDIRECTIONS + 2 * pin + 1
    assert results(load(low, high) + store(high, 0xFFFF_FFFF) + store(low, 0xFFFF_FFFF) + load(low, high)) == (
        [MASKED, 0, 0x1_AFFF, 0xFF00_0000]
    )


def test_an_edge_comes_once() -> None:
    """The line stays active; a second byte makes no edge before the first is taken."""
    pc = given(redirect(VECTOR) + LISTEN + BOUNDARY + wait(100) + ENTRY + keep(TMR + 0x30), data=b"xy")
    assert pc.counts() == {VECTOR: 1}
    assert pc.results() == [VECTOR, 0]


def test_an_edge_while_the_pin_is_masked_is_lost() -> None:
    """3.2.4, interrupt mask."""
    assert given(redirect(MASKED | VECTOR) + LISTEN + redirect(VECTOR) + wait(100)).counts() == {}


def test_a_level_comes_again_until_the_line_is_inactive() -> None:
    """3.2.4: remote IRR is set while a CPU serves the interrupt; its end clears it, and the line is looked at again."""
    pc = BarePc()
    pc.pc.serial[0].give(b"abc")
    pc.handle(VECTOR, f"push rdx; {ENTRY}{keep(TMR + 0x30)}{TAKE}{write(EOI, 0)}pop rdx; iretq")
    pc.run("sti; " + redirect(LEVEL | VECTOR) + LISTEN + BOUNDARY + wait(100) + ENTRY)
    assert pc.results() == [LEVEL | REMOTE_IRR | VECTOR, 1 << 2] * 3 + [LEVEL | VECTOR]


def test_a_level_that_waited_behind_the_mask_comes() -> None:
    pc = given(redirect(MASKED | LEVEL | VECTOR) + LISTEN + wait(50) + "cli; " + redirect(LEVEL | VECTOR) + BOUNDARY + TAKE
        + "sti; nop; " + BOUNDARY)
    assert pc.counts() == {VECTOR: 1}


def test_changing_to_edge_clears_the_remote_irr() -> None:
    """So Linux ends an interrupt of an I/O APIC without an EOI register."""
    code = "cli; " + redirect(LEVEL | VECTOR) + LISTEN + ENTRY
    code += redirect(MASKED | VECTOR) + ENTRY + redirect(MASKED | LEVEL | VECTOR) + ENTRY
    assert given(code).results() == [LEVEL | REMOTE_IRR | VECTOR, MASKED | VECTOR, MASKED | LEVEL | VECTOR]


def test_the_polarity_is_that_of_the_board() -> None:
    """3.2.4: a device's line is active or not, whatever the level for that is."""
    assert given(redirect(ACTIVE_LOW | VECTOR) + LISTEN + BOUNDARY).counts() == {VECTOR: 1}


@pytest.mark.parametrize(
    ("entry", "destination", "expected"),
    [
        (VECTOR, 0, [1, 0, 0]), (VECTOR, 2, [0, 0, 1]), (VECTOR, 0xFF, [1, 1, 1]), (VECTOR, 7, [0, 0, 0]),
        (LOGICAL | VECTOR, 6, [0, 1, 1]), (LOGICAL | LOWEST | VECTOR, 7, [0, 1, 0]), (15, 0, [0, 0, 0]),
    ],
)  # fmt: skip
def test_destinations(entry: int, destination: int, expected: list[int]) -> None:
    """3.2.4: by ID, by logical ID, or one CPU with the lowest priority."""
    ready = [write(DFR, 0xFFFF_FFFF) + write(LDR, 1 << n + 24) + write(TPR, 0 if n == 1 else 0x30) for n in range(3)]
    first, *others = ready
    pc = given(first + wait(1000) + redirect(entry, destination) + LISTEN + wait(1000),
        *("sti; " + code + "hlt" for code in others))
    assert [pc.count(VECTOR, n) for n in range(3)] == expected


def test_an_interrupt_can_be_non_maskable() -> None:
    assert given("cli; " + redirect(NMI | VECTOR) + LISTEN + BOUNDARY).counts() == {2: 1}
