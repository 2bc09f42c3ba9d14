# SPDX-License-Identifier: GPL-2.0-only
"""The addresses predicted without executing a block are those that it accesses."""

from __future__ import annotations

from typing import NamedTuple

import pytest
import unicorn
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from unicorn import x86_const as x86

from emu.cpu.arch.x86_64.zen3 import ZEN3
from emu.cpu.timing import NO_REGISTER, Access
from emu.cpu.timing.addresses import Accesses, accesses_of, name_places
from emu.cpu.timing.steps import Step
from tests.cpu.timing.assembly import assemble, described
from tests.cpu.timing.reference.steps import calculate

_CODE, _MASK = 0x40_0000, (1 << 64) - 1
_PHYSICAL = (1 << 52) - 1  # without page tables, Unicorn reports these bits of an address
_NAMES = ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", *(f"r{n}" for n in range(8, 16))]
_REGISTERS = [getattr(x86, f"UC_X86_REG_{name.upper()}") for name in _NAMES]
_BEGIN = [0x1_0000_0000 + n * 0x10_0100 for n in range(16)]
_LOADED = (0x2_0000_0600).to_bytes(8, "little")  # what memory holds: any pointer can be followed


class Executed(NamedTuple):
    """The effects of a block."""

    accesses: list[list[tuple[int, bool]]]  # by instruction: addresses, and whether they are written
    end: list[int]  # the final registers


def _execute(code: bytes, ends: list[int]) -> Executed:
    """Executes code; `ends` are the end offsets of its instructions.

    Raises:
        unicorn.UcError: the code cannot be executed.
    """
    uc = unicorn.Uc(unicorn.UC_ARCH_X86, unicorn.UC_MODE_64)
    uc.mem_map(_CODE, 0x1000)
    uc.mem_write(_CODE, code)
    for register, value in zip(_REGISTERS, _BEGIN, strict=True):
        uc.reg_write(register, value)
    accesses: list[list[tuple[int, bool]]] = [[] for _ in ends]

    def access(uc, kind, address, size, value, data):
        instruction = ends.index(next(end for end in ends if uc.reg_read(x86.UC_X86_REG_RIP) - _CODE < end))
        accesses[instruction].append((address, kind == unicorn.UC_MEM_WRITE))

    def unmapped(uc, kind, address, size, value, data):
        page = address & ~0xFFF
        uc.mem_map(page, 0x2000)
        uc.mem_write(page, _LOADED * 1024)
        return True

    uc.hook_add(unicorn.UC_HOOK_MEM_READ | unicorn.UC_HOOK_MEM_WRITE, access)
    uc.hook_add(unicorn.UC_HOOK_MEM_UNMAPPED, unmapped)
    uc.emu_start(_CODE, _CODE + len(code))
    return Executed(accesses, [uc.reg_read(register) for register in _REGISTERS])


def _address(access: Access, registers: list[int]) -> int:
    values = [*registers, 0]  # the last one is NO_REGISTER
    return values[access.base] + (values[access.scaled] << access.shift) + access.displacement & _MASK


def _loaded(address: int, size: int) -> int:
    """The content of memory before any store."""
    return int.from_bytes(bytes(_LOADED[(address + n) % 8] for n in range(size)), "little")


def _meet(executed: Executed) -> bool:
    """Whether a load overlaps an earlier store of the block."""
    stored: list[int] = []
    for accesses in executed.accesses:
        if any(abs(address - other) < 8 for address, write in accesses if not write for other in stored):
            return True
        stored += [address for address, write in accesses if write]
    return False


_registers = st.sampled_from(_NAMES)
_indices = st.sampled_from([name for name in _NAMES if name != "rsp"])
_halves = st.sampled_from(["eax", "ecx", "edx", "ebx", "esi", "r9d", "r15d"])
_small = st.integers(1, 63).map(lambda n: 8 * n)
_places = st.one_of(
    st.builds("qword ptr [{} + {}]".format, _registers, _small),
    st.builds("qword ptr [{} + {}*{} + {}]".format, _registers, _indices, st.sampled_from([1, 2, 4, 8]), _small),
)
_instructions = st.one_of(
    st.builds("mov {}, {}".format, _registers, _registers),
    st.builds("mov {}, {}".format, _registers, _small.map(lambda n: 0x300_0000 + n)),
    st.builds("lea {}, [{} + {}]".format, _registers, _registers, _small),
    st.builds("add {}, {}".format, _registers, _small),
    st.builds("sub {}, {}".format, _registers, _small),
    st.builds("add {}, {}".format, _registers, _registers),
    st.builds("{} {}".format, st.sampled_from(["inc", "dec", "push", "pop"]), _registers),
    st.builds("xchg {}, {}".format, _registers, _registers),
    st.builds("mov {}, {}".format, _registers, _places),
    st.builds("mov {}, {}".format, _places, _registers),
    st.builds("add {}, {}".format, _places, _registers),
    st.builds("cmp {}, 5".format, _places),
    st.builds("{} {}, {}".format, st.sampled_from(["and", "or", "xor", "imul"]), _registers, _registers),
    st.builds("{} {}, {}".format, st.sampled_from(["and", "add", "sub"]), _halves, st.sampled_from([-8, 0x70, 0x7FFF_FFF8])),
    st.builds("{} {}, {}".format, st.sampled_from(["shl", "shr", "sar"]), st.one_of(_registers, _halves), st.integers(1, 20)),
    st.builds("{} {}, {}".format, st.sampled_from(["mov", "xor", "sub", "imul"]), _halves, _halves),
    st.builds("movzx {}, {}".format, _halves, st.sampled_from(["al", "bl", "r9b", "cx", "byte ptr [rsi + 8]"])),
    st.builds("{}, {}".format, st.just("movsxd rdx"), _halves),
    st.builds("{}, dword ptr [{} + 24]".format, st.sampled_from(["mov edi", "movsxd rbp", "add ecx"]), _registers),
    st.builds("lea {}, [{} + {}*4 - 8]".format, _registers, _registers, _indices),
    st.builds("{} {}".format, st.sampled_from(["neg", "not"]), st.one_of(_registers, _halves)),
    st.sampled_from(["cdqe", "xor edx, edx; div ecx", "mov bl, 8", "xor edx, edx; div r9", "imul rsi, rdi, 24"]),
    st.sampled_from(["leave", "push rbp; mov rbp, rsp", "xor eax, eax", "mov edx, ecx", "sub r9, r9"]),
)


@settings(max_examples=250, deadline=None)
@given(st.lists(_instructions, min_size=1, max_size=8))
def test_claimed_addresses_are_the_real_ones(texts: list[str]):
    text = "; ".join(texts)
    code = described(text, address=_CODE)
    parts = [(n, instruction) for n, instruction in enumerate(code) if instruction.size]
    ends = [sum(i.size for i in code[: n + 1]) for n, _ in parts]
    try:
        executed = _execute(assemble(text, _CODE), ends)
    except unicorn.UcError:
        assume(False)
    named = name_places(code, ZEN3)
    for (n, _), real in zip(parts, executed.accesses, strict=True):
        assert {found.write for found in named[n]} == ({write or ((a, True) in real) for a, write in real}), text
        addresses = {address for address, _ in real}
        for found in named[n]:
            if found.at_entry is not None:
                assert _address(found.at_entry, _BEGIN) & _PHYSICAL in addresses, text
            if found.at_exit is not None:
                assert _address(found.at_exit, executed.end) & _PHYSICAL in addresses, text
            if found.address is not None and not _meet(executed):
                assert calculate(found.address, _BEGIN, (0, 0), _loaded) & _PHYSICAL in addresses, text
    entry, exit_, calculated, unknown = accesses_of(code, named)
    found_all = len(entry) + len(exit_) + len(calculated) + unknown
    assert found_all == sum(len({address for address, _ in real}) for real in executed.accesses)


def _all(text: str) -> Accesses:
    code = described(text)
    return accesses_of(code, name_places(code, ZEN3))


def test_what_a_known_pointer_leads_to_is_known_at_the_end():
    entry, exit_, calculated, unknown = _all("mov rax, qword ptr [rbx + 8]; mov rcx, qword ptr [rax + 16]")
    assert [(a.base, a.displacement) for a in entry] == [(3, 8)]
    assert [(a.base, a.displacement) for a in exit_] == [(0, 16)]
    assert (calculated, unknown) == ((), 0)


def test_where_a_pointer_leads_that_is_overwritten_is_calculated():
    found = _all("mov rax, qword ptr [rbx]; mov rax, qword ptr [rax + 8]")
    (access,) = found.calculated
    assert access.address == ((Step.REGISTER, 3), (Step.LOAD, 8), (Step.CONSTANT, 8), (Step.ADD, 0))
    assert (access.size, access.write, access.locked, found.unknown) == (8, False, False, 0)


def test_a_table_is_looked_up_by_a_part_of_a_register():
    (access,) = _all("movzx eax, cl; mov eax, dword ptr [rbx + rax*4]").calculated
    assert calculate(access.address, [0, 0x1234, 0, 0x5000], (0, 0), _loaded) == 0x5000 + 0x34 * 4


@pytest.mark.parametrize(
    "text", ["mov qword ptr [rbx], rcx; mov rax, qword ptr [rbx]", "cmovz rax, rcx", "mov ah, 5", "push rcx; pop rax"]
)
def test_a_pointer_that_nothing_tells_leads_to_where_nobody_knows(text: str):
    follow = "mov rax, qword ptr [rax]"
    assert _all(f"push rdx; {text}; {follow}; {follow}").unknown >= 1


def test_pushes_are_known_at_the_beginning():
    entry, exit_, calculated, unknown = _all("push rax; sub rsp, 16; push rcx; pop rdx")
    assert [(a.displacement, a.write) for a in entry] == [(-8, True), (-32, True), (-32, False)]
    assert (exit_, calculated, unknown) == ((), (), 0)


def test_constants_are_known():
    entry, _, _, _ = _all("mov eax, 0x1234; mov rcx, qword ptr [rax + 8]; xor edx, edx; mov rcx, qword ptr [rbx + rdx*8]")
    assert (entry[0].base, entry[0].scaled, entry[0].displacement) == (NO_REGISTER, NO_REGISTER, 0x123C)
    assert (entry[1].base, entry[1].scaled, entry[1].displacement) == (3, NO_REGISTER, 0)


def test_what_is_modified_is_one_access():
    ((access,), _, _, _) = _all("lock add dword ptr [rbx + rcx*4], 1")
    assert access == Access(3, 1, 2, 0, 4, True, 0, True)


def test_segments():
    ((access,), _, _, _) = _all("mov rax, qword ptr gs:[0x10]")
    assert (access.base, access.segment, access.displacement) == (NO_REGISTER, 2, 0x10)


def test_a_segment_that_changes_within_the_block() -> None:
    """The first access uses the segment at the block's beginning, the second the one at its end."""
    entry, exit_, calculated, unknown = _all("mov rax, qword ptr gs:[0x10]; swapgs; mov qword ptr gs:[0x18], rax")
    assert [access.displacement for access in entry] == [0x10]
    assert [access.displacement for access in exit_] == [0x18]
    assert (calculated, unknown) == ((), 0)
    assert _all("swapgs; mov rax, qword ptr gs:[0x10]; swapgs") == ((), (), (), 1)


def test_repeated_instructions_are_not_counted():
    assert _all("rep stosb") == ((), (), (), 0)
