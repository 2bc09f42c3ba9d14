# SPDX-License-Identifier: GPL-2.0-only
from __future__ import annotations

import pytest

from emu.cpu.arch import load
from emu.cpu.disassembly import Instruction, disassemble


def texts(arch: str, code: str) -> list[str]:
    return [instruction.text for instruction in disassemble(load(arch), bytes.fromhex(code), 0x1000)]


def test_instructions_follow_each_other_from_the_address_given() -> None:
    assert disassemble(load("x86_64"), bytes.fromhex("c5fdfec1 e8d23a0000 c3"), 0x1000) == [
        Instruction(0x1000, b"\xc5\xfd\xfe\xc1", "vpaddd %ymm1, %ymm0, %ymm0"),
        Instruction(0x1004, b"\xe8\xd2\x3a\x00\x00", "callq 0x4adb"),
        Instruction(0x1009, b"\xc3", "retq"),
    ]
    assert disassemble(load("sparc64"), bytes.fromhex("9de3bf40 01000000"), 0x1000) == [
        Instruction(0x1000, b"\x9d\xe3\xbf\x40", "save %sp, -0xc0, %sp"),
        Instruction(0x1004, b"\x01\x00\x00\x00", "nop"),
    ]
    assert disassemble(load("riscv64"), bytes.fromhex("13000000 0100 e7824100 73250010"), 0x1000) == [
        Instruction(0x1000, b"\x13\x00\x00\x00", "nop"),
        Instruction(0x1004, b"\x01\x00", "c.nop"),
        Instruction(0x1006, b"\xe7\x82\x41\x00", "jalr t0, gp, 4"),
        Instruction(0x100A, b"\x73\x25\x00\x10", "csrr a0, sstatus"),
    ]


def test_addresses_in_the_upper_half_are_not_negative() -> None:
    (call,) = disassemble(load("sparc64"), bytes.fromhex("40000002"), 0xFFFF_F800_0102_9000)
    assert call.text == "call 0xfffff80001029008"


@pytest.mark.parametrize(
    ("arch", "code", "expected"),
    [
        ("x86_64", "06 c3 0602", [".byte 0x06", "retq", ".byte 0x06", ".byte 0x02"]),
        ("x86_64", "90 e80607", ["nop", ".byte 0xe8", ".byte 0x06", ".byte 0x07"]),
        ("x86_64", "", []),
        ("sparc64", "85800000 01000000 85800001 85800002", [".word 0x85800000", "nop", ".word 0x85800001", ".word 0x85800002"]),
        ("riscv64", "7f000000 0290", [".byte 0x7f, 0x00", "c.unimp", "c.ebreak"]),
        ("riscv64", "0100 13", ["c.nop", ".byte 0x13"]),
        ("sparc64", "01000000 8580", ["nop", ".byte 0x85, 0x80"]),
    ],
)
def test_bytes_that_are_no_instruction_are_shown_as_bytes(arch: str, code: str, expected: list[str]) -> None:
    assert texts(arch, code) == expected
