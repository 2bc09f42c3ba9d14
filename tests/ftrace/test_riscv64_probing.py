# SPDX-License-Identifier: GPL-2.0-only
"""What can be probed on RISC-V, and the copies of instructions."""

from __future__ import annotations

import errno
import struct

import pytest

from emu.ftrace.arch.riscv64_probing import PROBING
from emu.ftrace.errors import TraceError

_START, _PLACE = 0xFFFF_FFC0_0100_0000, 0xFFFF_FFC0_0200_0000
_LOAD_RESERVED = "2f27 0510"  # lr.w a4, (a0)
_STORE_CONDITIONAL = "af27 b518"  # sc.w a5, a1, (a0)


def _refusal(code: str, offset: int) -> tuple[int | None, str]:
    with pytest.raises(TraceError) as failed:
        PROBING.instruction(bytes.fromhex(code), _START, _START + offset)
    return failed.value.errno, failed.value.why


@pytest.mark.parametrize(
    ("instruction", "reports"), [("0141", False), ("0141", True), ("83570701", False), ("83570701", True)]
)
def test_a_copy_traps_and_says_where_the_cpu_goes_on(instruction: str, reports: bool) -> None:
    code = bytes.fromhex(instruction)
    copy = (PROBING.stepping_copy if reports else PROBING.copy)(code, _START, _PLACE)
    assert copy[: len(code) + 2] == code + bytes.fromhex("0290")
    assert struct.unpack_from("<Q", copy, 8) == (_START + len(code) + reports,)


@pytest.mark.parametrize(
    "instruction",
    ["97000000", "e7800000", "ef000000", "6f000000", "63000000", "01a0", "8280", "8290", "09c5", "81e1"],
    ids=["auipc", "jalr", "jal", "j", "beq", "c.j", "c.jr", "c.jalr", "c.beqz", "c.bnez"],
)
def test_what_uses_its_place_has_no_copy(instruction: str) -> None:
    assert PROBING.copy(bytes.fromhex(instruction), _START, _PLACE) == b""
    assert PROBING.stepping_copy(bytes.fromhex(instruction), _START, _PLACE) == b""


def test_instructions_begin_where_those_before_them_end() -> None:
    code = "0100 13000000 0100"
    assert PROBING.instruction(bytes.fromhex(code), _START, _START + 2) == bytes.fromhex("13000000")
    assert _refusal(code, 4)[0] == _refusal(code, 1)[0] == errno.EILSEQ


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("73001000", "traps"), ("0290", "traps"), ("73000000", "traps"), ("73002010", "traps"), ("73005010", "waits"),
        ("731000c0", "traps"), ("0000", "no instruction"), ("1f000000", "no instruction"),
    ],
    ids=["ebreak", "c.ebreak", "ecall", "sret", "wfi", "unimp", "c.unimp", "long"],
)  # fmt: skip
def test_some_cannot_be_probed(code: str, why: str) -> None:
    number, text = _refusal(code, 0)
    assert number == errno.EINVAL and why in text


def test_nothing_between_a_reservation_and_its_store() -> None:
    code = f"0100 {_LOAD_RESERVED} 0100 {_STORE_CONDITIONAL} 0100"
    for offset in (2, 6, 8):
        number, why = _refusal(code, offset)
        assert number == errno.EINVAL and "reservation" in why
    for offset in (0, 12):
        assert PROBING.instruction(bytes.fromhex(code), _START, _START + offset) == bytes.fromhex("0100")
    fence = bytes.fromhex("73000012")  # sfence.vma
    assert PROBING.instruction(fence, _START, _START) == fence
