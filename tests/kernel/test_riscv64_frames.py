# SPDX-License-Identifier: GPL-2.0-only
"""Where the return addresses of RISC-V functions are: at each instruction of functions as gcc compiles them."""

from __future__ import annotations

import pytest

from emu.kernel.arch.riscv64_frames import FRAME, IN_RA, IN_T0, LEAF, ON_STACK, places


def _found(code: str, branches: tuple[tuple[int, int], ...] = ()) -> list[int]:
    """One number for each instruction."""
    data = bytes.fromhex(code)
    found, at = [], 0
    while at < len(data):
        size = 2 if data[at] & 3 != 3 else 4
        assert len(set(places(data, branches)[at : at + size].tolist())) == 1
        found.append(int(places(data, branches)[at]))
        at += size
    return found


SITE = "13000000"
PROLOGUE = "0111 06ec 22e8 0010"  # addi sp,sp,-32; sd ra,24(sp); sd s0,16(sp); addi s0,sp,32
EPILOGUE = "e260 4264 0561 8280"  # ld ra,24(sp); ld s0,16(sp); addi sp,sp,32; ret


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (f"{SITE} {PROLOGUE} 0100 {EPILOGUE}", [IN_RA] * 5 + [FRAME] * 3 + [IN_RA] * 2),
        # The other order: ra is loaded last.
        (f"{SITE} {PROLOGUE} 97000000 e7800000 4264 e260 0561 8280", [IN_RA] * 5 + [FRAME] * 3 + [ON_STACK + 3] + [IN_RA] * 2),
        # A leaf function: addi sp,sp,-16; sd s0,8(sp); addi s0,sp,16; nop; ld s0,8(sp); addi sp,sp,16; ret
        (f"{SITE} 4111 22e4 0008 0100 2264 4101 8280", [IN_RA] * 4 + [LEAF] * 2 + [IN_RA] * 2),
        # The frame is made on one of two paths: beqz a0, to the prologue; li a0,0; ret
        (f"{SITE} 19c1 0145 8280 {PROLOGUE} 0100 {EPILOGUE}", [IN_RA] * 8 + [FRAME] * 3 + [IN_RA] * 2),
        ("8282", [IN_T0]),
    ],
    ids=["frame", "ra-last", "leaf", "two-paths", "stub"],
)
def test_at_each_instruction(code: str, expected: list[int]) -> None:
    assert _found(code) == expected


def test_a_switch_statement_leads_to_what_nothing_else_leads_to() -> None:
    """jr a5; nop; the epilogue."""
    assert _found(f"{SITE} {PROLOGUE} 8287 0100 {EPILOGUE}")[5:8] == [FRAME] * 3


def test_a_static_key_leads_elsewhere() -> None:
    """A nop, which may be a jump to behind the return; ret; the prologue."""
    code = f"{SITE} 13000000 8280 {PROLOGUE} 0100 {EPILOGUE}"
    assert _found(code, ((4, 10),)) == [IN_RA] * 7 + [FRAME] * 3 + [IN_RA] * 2
