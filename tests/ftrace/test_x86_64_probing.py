# SPDX-License-Identifier: GPL-2.0-only
"""x86-64: which instructions can be probed, and the code executed instead."""

from __future__ import annotations

import errno

import pytest

from emu.cpu.arch.x86_64 import ARCH
from emu.cpu.disassembly import disassemble
from emu.ftrace.arch.x86_64_probing import PROBING
from emu.ftrace.errors import TraceError
from emu.ftrace.native.trace_values import PLACE_SIZE

ADDRESS, PLACE = 0xFFFF_FFFF_8110_0000, 0xFFFF_FFFF_8150_0040


@pytest.mark.parametrize(
    ("instruction", "copy"),
    [
        ("55", ["pushq %rbp", "jmp 0xffffffff81100001"]),
        ("c3", ["retq", "jmp 0xffffffff81100001"]),
        ("488b05f9000000", ["movq -0x3fff47(%rip), %rax", "jmp 0xffffffff81100007"]),  # of 0xffffffff81100100
        ("c7057600000001000000", ["movl $1, -0x3fffca(%rip)", "jmp 0xffffffff8110000a"]),  # of 0xffffffff81100080
        ("65488b042510000000", ["movq %gs:0x10, %rax", "jmp 0xffffffff81100009"]),
        ("eb10", ["jmp 0xffffffff81100012"]),
        ("e9fb0f0000", ["jmp 0xffffffff81101000"]),
        ("74fe", ["je 0xffffffff81100000", "jmp 0xffffffff81100002"]),
        ("0f8ffa0f0000", ["jg 0xffffffff81101000", "jmp 0xffffffff81100006"]),
        ("e8fb0f0000", ["pushq $-0x7eeffffb", "jmp 0xffffffff81101000"]),
        ("ffd0", ["pushq $-0x7eeffffe", "jmpq *%rax"]),
        ("41ff5508", ["pushq $-0x7eeffffc", "jmpq *8(%r13)"]),
        ("ff15fa000000", ["pushq $-0x7eeffffa", "jmpq *-0x3fff4b(%rip)"]),  # by 0xffffffff81100100
        ("ffe2", ["jmpq *%rdx"]),
        ("ff24c500002081", ["jmpq *-0x7ee00000(, %rax, 8)"]),
    ],
)
def test_the_copy_does_what_the_instruction_does_where_it_is(instruction: str, copy: list[str]) -> None:
    code = bytes.fromhex(instruction)
    assert PROBING.instruction(code + b"\xc3", ADDRESS, ADDRESS) == code
    made = PROBING.copy(code, ADDRESS, PLACE)
    assert len(made) == len(PROBING.copy(code, ADDRESS, None)) <= PLACE_SIZE
    assert [one.text for one in disassemble(ARCH, made, PLACE)] == copy


@pytest.mark.parametrize(
    ("code", "offset", "why"),
    [
        ("0f0b", 0, "it traps, halts or returns from a trap"),
        ("90cc", 1, "it traps, halts or returns from a trap"),
        ("fbf4", 0, "an interrupt must not come between it and the hlt behind it"),
        ("fb5dc3", 1, "the instruction before it holds interrupts off until it is done"),
        ("8ed05d", 2, "the instruction before it holds interrupts off until it is done"),
        ("e2fe", 0, "it has no form that can be moved"),
        ("ff542408", 0, "its operand is on the stack, which the return address moves"),
    ],
)
def test_some_cannot_be_probed(code: str, offset: int, why: str) -> None:
    with pytest.raises(TraceError) as refused:
        PROBING.instruction(bytes.fromhex(code), ADDRESS, ADDRESS + offset)
    assert refused.value.code == errno.EINVAL and refused.value.why.endswith(f"cannot be probed: {why}")


def test_there_is_nothing_within_an_instruction() -> None:
    code = bytes.fromhex("488b05f900000055")
    assert PROBING.instruction(code, ADDRESS, ADDRESS + 7) == b"\x55"
    for offset in (1, 6, 8, 100):
        with pytest.raises(TraceError) as refused:
            PROBING.instruction(code, ADDRESS, ADDRESS + offset)
        assert refused.value.code == errno.EILSEQ
