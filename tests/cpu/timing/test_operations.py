# SPDX-License-Identifier: GPL-2.0-only
"""x86-64 instructions in the scheduler's representation."""

from __future__ import annotations

import pytest

from emu.cpu.arch.x86_64.operations import Operations
from emu.cpu.arch.x86_64.register_names import FLAGS, STACK_POINTER, VECTORS, X87
from emu.cpu.arch.x86_64.zen3 import ZEN3
from emu.cpu.arch.x86_64.zen4 import ZEN4
from emu.cpu.timing import Ending
from emu.cpu.timing.core import Core
from emu.cpu.timing.instructions import Place
from tests.cpu.timing.assembly import assemble, described

RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI = range(8)
_CORES = pytest.mark.parametrize("core", [ZEN3, ZEN4], ids=lambda core: core.name)


def _one(text: str, core: Core = ZEN3):
    (instruction,) = described(text, core)
    return instruction


@_CORES
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("add rax, rcx", "alu"), ("shl rax, cl", "shift"), ("imul rax, rcx", "multiply"), ("mul rcx", "multiply_wide"),
        ("div ecx", "divide32"), ("div rcx", "divide64"), ("lea rax, [rcx + rdx]", "lea"),
        ("lea rax, [rcx + rdx*8]", "lea"), ("lea rax, [rcx + rdx + 8]", "lea_complex"), ("adc rax, rcx", "carry"),
        ("cmovb rax, rcx", "select"), ("sete al", "set"), ("bt rax, rcx", "bit_test"), ("bts rax, rcx", "bit_set"),
        ("bsf rax, rcx", "bit_forward"), ("bsr rax, rcx", "bit_reverse"),
        ("popcnt rax, rcx", "count"), ("tzcnt rax, rcx", "trailing"), ("shld rax, rcx, 3", "double_shift"), ("cdq", "sign"),
        ("rcl eax, 1", "rotate_carry"), ("rcl eax, 3", "rotate_carry_far"), ("paddd xmm0, xmm1", "vector_integer"),
        ("punpcklqdq xmm0, xmm1", "vector_shuffle"), ("pmuludq xmm0, xmm1", "vector_multiply_integer"),
        ("addsd xmm0, xmm1", "vector_add"), ("mulsd xmm0, xmm1", "vector_multiply"), ("divsd xmm0, xmm1", "vector_divide64"),
        ("divss xmm0, xmm1", "vector_divide32"), ("movd eax, xmm0", "from_vector"), ("movd xmm0, eax", "to_vector"),
        ("cvtsi2sd xmm0, eax", "integer_to_float"), ("cvttsd2si eax, xmm0", "float_to_integer"),
        ("cvttsd2si rax, [rsp]", "float_to_integer"),
        ("rep stosb", "stos_repeated"),
        ("comisd xmm0, xmm1", "compare_flags"), ("pcmpeqb xmm0, xmm1", "vector_integer"), ("movsd xmm0, xmm1", "vector_integer"),
        ("pcmpgtb xmm0, xmm1", "vector_integer"), ("sqrtsd xmm0, xmm1", "vector_root64"),
    ],
)  # fmt: skip
def test_instructions_have_the_operations_of_their_class(text: str, kind: str, core: Core):
    instruction = _one(text, core)
    assert (instruction.ports, instruction.latency, instruction.slots) == core.operations[kind]
    assert instruction.known


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("add rax, qword ptr [rbx]", 1), ("add qword ptr [rbx], rax", 2), ("mov qword ptr [rbx], rax", 1),
        ("mov qword ptr [rbx + rcx], rax", 2), ("mov rax, qword ptr [rbx + rcx*8 + 16]", 1),
        ("cmp rax, qword ptr [rbx + rcx]", 2),
        ("paddd xmm0, [rbx + rcx]", 1), ("cmovb rax, qword ptr [rbx]", 2), ("push rax", 1), ("push qword ptr [rbx]", 2),
        ("pop rax", 1), ("mov rax, qword ptr gs:[0]", 2), ("cmp rax, qword ptr gs:[0]", 1), ("bts qword ptr [rbx], 3", 6),
        ("xadd qword ptr [rbx], rcx", 6), ("xchg rax, rcx", 2), ("nop dword ptr [rax]", 1),
    ],
)  # fmt: skip
def test_slots_with_operands_in_memory(text: str, slots: int):
    assert _one(text).slots == slots


@pytest.mark.parametrize("text", ["xor eax, eax", "sub rcx, rcx", "xor r9, r9", "pxor xmm1, xmm1", "xorps xmm3, xmm3"])
def test_idioms_that_write_zero_wait_for_nothing(text: str):
    instruction = _one(text)
    assert not instruction.reads
    assert instruction.latency == 0
    assert instruction.writes


@pytest.mark.parametrize(
    ("text", "reads"), [("xor al, al", {RAX}), ("xor eax, ecx", {RAX, RCX}), ("pxor xmm1, xmm2", {VECTORS + 1, VECTORS + 2})]
)
def test_what_looks_like_such_an_idiom_waits(text: str, reads: set[int]):
    assert set(_one(text).reads) == reads
    assert _one(text).latency == 1


def test_a_subtraction_of_a_register_from_itself_with_carry_waits_for_the_carry_alone():
    assert _one("sbb eax, eax").reads == (FLAGS,)
    assert set(_one("sbb eax, ecx").reads) == {RAX, RCX, FLAGS}


@pytest.mark.parametrize("text", ["mov rax, rcx", "mov eax, ecx"])
def test_moves_are_eliminated(text: str):
    assert (_one(text).ports, _one(text).latency, _one(text).slots) == ((), 0, 1)


@pytest.mark.parametrize(
    ("text", "reads"), [("mov al, cl", {RAX, RCX}), ("mov ax, cx", {RAX, RCX}), ("mov al, byte ptr [rbx]", {RAX})]
)
def test_parts_of_registers_are_merged(text: str, reads: set[int]):
    assert set(_one(text).reads) == reads
    assert _one(text).latency == 1


def test_a_conditional_move_may_leave_what_was_there():
    assert set(_one("cmovb rax, rcx").reads) == {RAX, RCX, FLAGS}


def test_loads_and_stores():
    modify = _one("add dword ptr [rbx + rcx*4 - 8], edx")
    place = Place(RBX, RCX, 4, -8, 4)
    assert (modify.loads, modify.stores, modify.addresses) == ((place,), (place,), (RBX, RCX))
    compare = _one("cmp dword ptr [rbx], 5")
    assert (len(compare.loads), len(compare.stores)) == (1, 0)
    assert not _one("lea rax, [rbx]").loads
    assert not _one("nop dword ptr [rax]").loads
    assert _one("mov qword ptr fs:[rbx], rax").stores == (Place(RBX, -1, 1, 0, 8, 1),)


def test_places_relative_to_the_instruction_are_where_it_lies():
    operations, code = Operations(ZEN3), assemble("mov rax, qword ptr [rip + 0x20]")
    for address in (0x1000, 0xFFFF_FFFF_8100_0000):
        (instruction,) = operations.of(code, address)
        assert instruction.loads[0].displacement == address + len(code) + 0x20


@pytest.mark.parametrize(("text", "stack"), [("push rax", -8), ("pop rax", 8), ("call 0x2000", -8), ("ret", 8)])
def test_the_stack_engine_moves_the_stack_pointer(text: str, stack: int):
    instruction = _one(text)
    assert instruction.stack == stack
    assert STACK_POINTER not in instruction.writes
    assert STACK_POINTER not in instruction.reads
    assert len(instruction.stores if stack < 0 else instruction.loads) == 1


def test_leave_is_a_move_and_a_pop():
    move, pop = described("leave")
    assert (move.size, move.writes, move.latency) == (0, (RSP,), 0)
    assert (pop.size, pop.writes, pop.stack) == (1, (RBP,), 8)


def test_locked_instructions():
    assert _one("lock add dword ptr [rbx], 1").locked == ZEN3.locked
    assert _one("lock xadd qword ptr [rbx], rax").locked == ZEN3.locked_complex
    assert _one("xchg qword ptr [rbx], rax").locked == ZEN3.locked_complex
    assert not _one("xchg rcx, rax").locked
    assert not _one("add dword ptr [rbx], 1").locked


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        ("add rax, 1", Ending.FALLS), ("jne 0x2000", Ending.CONDITIONAL), ("loop 0x1000", Ending.CONDITIONAL),
        ("jmp 0x2000", Ending.JUMP), ("jmp rax", Ending.INDIRECT_JUMP), ("jmp qword ptr [rax]", Ending.INDIRECT_JUMP),
        ("call 0x2000", Ending.CALL), ("call rax", Ending.INDIRECT_CALL), ("ret", Ending.RETURN), ("syscall", Ending.TRAPS),
        ("iretq", Ending.TRAPS), ("int3", Ending.TRAPS), ("hlt", Ending.TRAPS),
    ],
)  # fmt: skip
def test_endings(text: str, ending: Ending):
    assert _one(text).ending == ending
    assert _one(text).known


def test_what_empties_the_tlb():
    assert _one("mov cr3, rax").flushes_tlb
    assert _one("invlpg [rax]").flushes_tlb
    assert not _one("mov rax, cr3").flushes_tlb
    assert not _one("mov cr0, rax").flushes_tlb


def test_string_instructions_with_a_prefix_are_repeated():
    assert _one("rep stosb").repeated
    assert not _one("stosb").repeated
    assert not described("rep ret")[0].repeated


def test_the_tables_do_not_have_everything():
    (instruction,) = Operations(ZEN3).of(b"\x0f\x01\xe0", 0)  # smsw eax
    assert not instruction.known
    assert not list(Operations(ZEN3).of(b"\x06", 0))  # push es, which is invalid in 64-bit code


def test_the_x87_stack_is_one_register() -> None:
    load, add, divide, store = Operations(ZEN3).of(bytes.fromhex("dd07 d8c1 d8f1 dd1f"), 0)  # fld fadd fdiv fstp
    assert (load.reads, load.writes, len(load.loads)) == ((), (X87,), 1)
    assert (add.reads, add.writes, divide.reads, store.reads) == ((X87,),) * 4
    assert (add.latency, divide.latency, len(store.stores)) == (6, 15, 1)
    (control,) = Operations(ZEN3).of(bytes.fromhex("d93f"), 0)  # fnstcw
    assert (len(control.loads), len(control.stores)) == (0, 1)
