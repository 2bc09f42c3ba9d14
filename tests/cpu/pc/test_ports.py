# SPDX-License-Identifier: GPL-2.0-only
"""I/O ports: ACPI's registers (ACPI 6.5, 4.8.3), the old interrupt controllers, and who may use ports (SDM volume 1, 19.5)."""

from __future__ import annotations

import pytest

from emu.cpu.native.pc.records import POWERED_OFF, RESET, RUNNING
from tests.cpu.pc.bare_pc import TSS, BarePc, into, out, results

PM1_STATUS, PM1_ENABLE, PM1_CONTROL, RESET_PORT = 0x600, 0x602, 0x604, 0x606
SLEEP = 1 << 13
USER_CODE, USER_STACK = 0x200000, 0x210000


def ended(code: str) -> int:
    pc = BarePc()
    pc.start(code)
    while pc.moment() and not pc.pc.record.ended:
        pass
    return int(pc.pc.record.ended)


def test_power_management_registers() -> None:
    """Status: nothing has happened, and writing clears. Enable bits are kept. Control: SCI_EN stays, SLP_EN reads as 0."""
    assert results(into(PM1_STATUS, 2) + out(PM1_STATUS, 0xFFFF, 2) + into(PM1_STATUS, 2)) == [0, 0]
    assert results(out(PM1_ENABLE, 0x5AA5, 2) + into(PM1_ENABLE, 2) + into(PM1_ENABLE) + into(PM1_ENABLE + 1)) == [0x5AA5, 0xA5,
        0x5A]
    assert results(into(PM1_CONTROL, 2) + out(PM1_CONTROL, SLEEP | 3 << 10, 2) + into(PM1_CONTROL, 2)) == [1, 3 << 10 | 1]


def test_power_off_is_sleep_type_5() -> None:
    """What \\_S5 says."""
    for kind in range(8):
        assert ended(out(PM1_CONTROL, SLEEP | kind << 10, 2)) == (POWERED_OFF if kind == 5 else RUNNING)
    assert ended(out(PM1_CONTROL, 5 << 10, 2)) == RUNNING
    assert ended(out(PM1_CONTROL + 1, (SLEEP | 5 << 10) >> 8)) == POWERED_OFF


def test_the_reset_register() -> None:
    for value in range(4):
        assert ended(out(RESET_PORT, value)) == (RESET if value == 1 else RUNNING)


def test_the_masks_of_the_old_interrupt_controllers() -> None:
    """Linux finds an 8259A by its mask register (probe_8259A)."""
    assert results(into(0x21) + into(0xA1) + out(0x21, 0xFB) + out(0xA1, 0x12) + into(0x21) + into(0xA1)) == [0xFF, 0xFF, 0xFB,
        0x12]


def test_absent_ports_are_all_ones() -> None:
    code = "".join(into(port, size) for port in (0, 0xCF8, 0xFFFC) for size in (1, 2, 4)) + out(0x80,
        1) + into(0x80) + into(0xFFFF, 4)
    assert results(code) == [0xFF, 0xFFFF, 0xFFFF_FFFF] * 3 + [0xFF, 0xFFFF_FFFF]


def test_wide_accesses_are_accesses_to_each_byte() -> None:
    assert results(out(PM1_STATUS, 0x1234_FFFF, 4) + into(PM1_STATUS, 4) + into(PM1_ENABLE - 1, 4)) == [0x1234_0000, 0x01123400]
    assert results(out(0x3FB, 0x0380, 2) + out(0x3F8, 0x1234, 2) + into(0x3F8, 2) + into(0x3F8, 4)) == [0x1234, 0x80011234]
    assert results(out(0x3FF, 0x77) + into(0x3FE, 4)) == [0xFFFF_77B0]  # beyond a device's last port


def as_program(code: str, *, io_privilege: int = 0, bitmap: bytes = b"") -> BarePc:
    """Runs code as a program. Bitmap: of ports, in the task state segment."""
    pc = BarePc()
    pc.handle(13, "mov r13, 13; mov rax, [rsp]; cli; hlt")
    pc.handle(0x80, "mov r13, 0x80; cli; hlt")
    pc.bytes(0x18000 + 0x80 * 16 + 5, b"\xee")  # a gate for programs
    if bitmap:
        pc.bytes(TSS + 0x66, b"\x68\x00" + bitmap)
        pc.bytes(0x17030, (0x67 + len(bitmap)).to_bytes(2, "little"))
    pc.put(USER_CODE, code + "int 0x80")
    return pc.run(f"push 0x23; push {USER_STACK:#x}; push {io_privilege << 12 | 2:#x}; push 0x2b; push {USER_CODE:#x}; iretq")


@pytest.mark.parametrize("access",
    ["out 0x80, al", "in al, 0x80", "in ax, 0x80", "out 0x80, eax", "mov edx, 0x80; insb", "mov edx, 0x80; outsb"])
def test_programs_use_no_ports_by_themselves(access: str) -> None:
    """A general protection exception, with error code 0."""
    pc = as_program(access + "; ")
    assert (pc.registers()["r13"], pc.registers()["rax"]) == (13, 0)


def test_programs_use_ports_with_io_privilege_or_by_the_bitmap() -> None:
    write = "mov al, 65; mov edx, 0x3f8; out dx, al; "
    opened = bytes(0x3F8 // 8) + b"\xfe" + b"\xff" * 3
    closed = bytes(0x3F8 // 8) + b"\xff" * 4
    for pc, text in (
        (as_program(write, io_privilege=3), b"A"),
        (as_program(write, io_privilege=2), b""),
        (as_program(write, bitmap=opened), b"A"),
        (as_program(write, bitmap=closed), b""),
        (as_program(write.replace("al;", "ax;"), bitmap=opened), b""),  # the second byte's port is closed
    ):
        assert pc.pc.serial[0].take() == text
        assert pc.registers()["r13"] == (0x80 if text else 13)
