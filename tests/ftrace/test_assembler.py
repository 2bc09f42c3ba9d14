# SPDX-License-Identifier: GPL-2.0-only
"""Assembled code of the guest's kernel: capstone disassembles it to the source."""

from __future__ import annotations

import pytest

from emu.cpu.disassembly import disassemble
from emu.ftrace import arch as ftrace_arch
from emu.ftrace.sites.assembler import assemble

_ADDRESS = {"x86_64": 0xFFFF_FFFF_8110_0000, "sparc64": 0xFFFF_F800_0040_0000}


def _read(arch: str, text: str) -> list[str]:
    """The disassembly, with addresses relative to the first instruction."""
    here = _ADDRESS[arch]
    code = assemble(ftrace_arch.load(arch), text, here, {"before": here - 0xDCBB0, "after": here + 0x12340}.get)
    found = [one.text for one in disassemble(ftrace_arch.load(arch).cpu, code, here)]
    return [text.replace(f"{here + n:#x}", f"here+{n:#x}") for text in found for n in (-0xDCBB0, 0x12340, 0, 4, 8, 12)
            if f"{here + n:#x}" in text] or found  # fmt: skip


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("mov eax, 42; ret  # the answer", ["movl $0x2a, %eax", "retq"]),
        ("call before", ["callq here+-0xdcbb0"]),
        ("jmp after", ["jmp here+0x12340"]),
        ("again: dec rdi; jnz again", ["jne here+0x0"]),
        ("mov rax, -5\n\n// no instruction\nadd rax, 0x10", ["movq $18446744073709551611, %rax", "addq $0x10, %rax"]),
        ("lock inc dword ptr [rdi + 24]", ["lock incl 0x18(%rdi)"]),
        (f"call {_ADDRESS['x86_64'] + 0x12340:#x}", ["callq here+0x12340"]),
    ],
)
def test_x86_64(text: str, read: list[str]) -> None:
    assert _read("x86_64", text) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("retl; mov 42, %o0  ! the answer", ["retl", "mov 0x2a, %o0"]),
        ("call before; nop", ["call here+-0xdcbb0"]),
        (f"call {_ADDRESS['sparc64'] + 0x12340:#x}; nop", ["call here+0x12340"]),
        ("brz,pt %o0, out\nnop\nmov 1, %o0\nout: retl\nnop", ["brz %o0, here+0xc"]),
        ("sethi %hi(after), %g1; or %g1, %lo(after), %g1", ["sethi 0x1048, %g1", "or %g1, 0x340, %g1"]),
        ("ldx [%o0 + 16], %o1", ["ldx [%o0+0x10], %o1"]),
    ],
)
def test_sparc64(text: str, read: list[str]) -> None:
    assert _read("sparc64", text) == read


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "there is no instruction"),
        ("frobnicate", "'frobnicate': invalid mnemonic"),
        ("nop; = ", "'=' is no instruction"),
        ("call nowhere", "there is nothing that is called 'nowhere'"),
        ("nop\n.byte 1", "'.byte 1' is no instruction"),
    ],
)
@pytest.mark.parametrize("arch", _ADDRESS)
def test_what_is_no_program(arch: str, text: str, why: str) -> None:
    with pytest.raises(ValueError, match="^" + why.replace(".", r"\.") + "$"):
        _read(arch, text)


def test_a_symbol_is_no_memory() -> None:
    with pytest.raises(ValueError, match="the address of after must be in a register"):
        _read("x86_64", "mov eax, dword ptr [rip + after]")


def test_riscv64_has_none() -> None:
    with pytest.raises(ValueError, match="there is no assembler for riscv64: keystone has none"):
        assemble(ftrace_arch.load("riscv64"), "ret", 0, {}.get)
