# SPDX-License-Identifier: GPL-2.0-only
"""Lifted functions beside Unicorn: loops, calls, stacks, jump labels; and what makes a lifted function fail."""

from __future__ import annotations

import random
import struct
from collections.abc import Mapping

import numpy as np
import pytest

from emu.cpu.arch.x86_64.state import GENERAL_REGISTERS
from emu.linux.lift import arch
from emu.linux.lift.reasons import CannotLift, Target
from tests.lib.lifted import AREA, CODE, DIRECT, FAILED, FLAG_BITS, KERNEL, SIZE, Both, Program, assemble, place_in
from tests.linux.lift.forms import CONDITIONS, FORMS

pytestmark = pytest.mark.static_timing("no machine runs")

PLACES = {
    "main": CODE, "first": CODE + 0x200, "second": CODE + 0x400, "cold": CODE + 0x600,
    "trace_event_buffer_reserve": CODE + 0x800, "trace_event_buffer_commit": CODE + 0x820, "__SCT__tp_func_x": CODE + 0x840,
    "memcpy": CODE + 0x860,
}  # fmt: skip
SHORT = {"reserve": "trace_event_buffer_reserve", "commit": "trace_event_buffer_commit", "target": "__SCT__tp_func_x"}
NUMBERS = DIRECT + 0x2_0000  # some data
STACK = DIRECT + 0x6_0000  # the guest's
OFF = "0f1f440000"  # a jump label that is off
FLAGS = dict.fromkeys(FLAG_BITS, False)


SIMPLE = (
    "add", "adc", "sub", "sbb", "cmp", "and", "or", "xor", "test", "inc", "dec", "neg", "not", "mov", "movzx", "movsx", "lea",
    "movsxd", "movabs", "xchg", "bswap", "popcnt", "cbw", "cwde", "cdqe", "cwd", "cdq", "cqo",
)  # fmt: skip


def _is_simple(name: str, form: str) -> bool:
    """Whether an instruction of `forms` can be part of random code: it leaves nothing undefined, and writes beside no operand."""
    is_known = name in SIMPLE or name.startswith(("cmov", "set"))
    return is_known and "rip" not in form and "gs:" not in form and "0x104" not in form and "r13 + rbx" not in form


UNLESS_9 = "mov edx, 8; call {reserve}; mov rbx, rax; cmp edi, 9; je end; "
RESERVE = "mov edx, {size}; call {reserve}; mov rbx, rax;"


@pytest.fixture(scope="module")
def both() -> Both:
    return Both()


def program(functions: Mapping[str, str], **more: object) -> Program:
    """Functions in assembly. They call each other by names in braces."""
    code = bytearray(b"\xcc" * 0x1000)
    names = PLACES | {short: PLACES[name] for short, name in SHORT.items()}
    for name, text in functions.items():
        start = names[name] - CODE
        if name in ("main", "cold") and text.startswith(OFF):
            code[start : start + 5] = bytes.fromhex(OFF)
            text, start = text.removeprefix(OFF), start + 5
        made = assemble(text.format(**{place: hex(address) for place, address in names.items()}), CODE + start)
        code[start : start + len(made)] = made
    sizes = {name: (address, 0x20 if name in SHORT.values() or name == "memcpy" else 0x200) for name, address in PLACES.items()}
    return Program(bytes(code), names=sizes, **more)  # type: ignore[arg-type]


def registers_for(both: Both, arguments: tuple[int, ...]) -> list[int]:
    found = [0] * len(GENERAL_REGISTERS)
    for name, value in zip(arch.ARGUMENTS, arguments, strict=False):
        found[GENERAL_REGISTERS.index(name)] = value
    found[GENERAL_REGISTERS.index("sp")] = place_in(both, "returns_to")
    return found


def store_entry(both: Both, made: Program, *arguments: int) -> tuple[int, bytes]:
    """Runs a function that stores an entry. Returns its size, and the entry; FAILED and b"" if it fails. Unicorn agrees."""
    registers = registers_for(both, arguments)
    both.area_bytes[:] = 0
    before = both.ram.copy()
    size = both.lifted(made, PLACES["main"])(registers)
    assert np.array_equal(before, both.ram), "the guest's memory was written to"
    entry = both.area_bytes[place_in(both, "entry") - both.area.address :][: size if size != FAILED else 0].tobytes()
    code = bytearray(made.code)
    start = PLACES["trace_event_buffer_reserve"] - CODE
    reserve = assemble(f"movabs rax, {place_in(both, 'entry'):#x}; ret")
    code[start : start + len(reserve)] = reserve
    at = PLACES["memcpy"] - CODE
    code[at : at + 9] = bytes.fromhex("4889f8 4889d1 f3a4 c3")  # mov rax, rdi; mov rcx, rdx; rep movsb; ret
    found = both.run_unicorn(bytes(code), registers, FLAGS, bytes(AREA), PLACES["trace_event_buffer_commit"])
    assert (found.result == FAILED) == (size == FAILED)
    offset = place_in(both, "entry") - both.area.address
    assert found.area[offset : offset + len(entry)] == entry
    return size, entry


def test_a_loop(both: Both) -> None:
    both.put(NUMBERS, struct.pack("<8I", *range(10, 18)))
    made = program({"main": RESERVE.format(size=16, reserve="{reserve}") + f"""
        movabs rsi, {NUMBERS:#x}; xor eax, eax; xor ecx, ecx
        again: add eax, dword ptr [rsi + rcx*4]; inc rcx; cmp rcx, 8; jne again
        mov dword ptr [rbx], eax; mov qword ptr [rbx + 8], rcx; jmp {{commit}}"""})
    assert store_entry(both, made) == (16, struct.pack("<QQ", sum(range(10, 18)), 8))


def test_calls_and_arguments_on_the_stack(both: Both) -> None:
    made = program({
        "main": "push rbx; sub rsp, 16; mov edx, 8; call {reserve}; mov rbx, rax; push 7; push 9; mov edi, 1; mov esi, 2; "
                "call {first}; add rsp, 16; mov [rbx], rax; call {commit}; add rsp, 16; pop rbx; ret",
        "first": "push rbp; mov rbp, rsp; sub rsp, 32; and rsp, -16; mov [rsp + 8], rdi; mov rax, [rbp + 16]; "
                 "sub rax, [rbp + 24]; "
                 "mov rdi, rax; call {second}; add rax, [rsp + 8]; leave; ret",
        "second": "lea rax, [rdi + rdi*8]; ret",
    })  # fmt: skip
    assert store_entry(both, made) == (8, struct.pack("<q", (9 - 7) * 9 + 1))


def test_tail_calls(both: Both) -> None:
    made = program({
        "main": "mov edx, 8; call {reserve}; mov rbx, rax; mov edi, 5; call {first}; mov [rbx], rax; jmp {commit}",
        "first": "cmp edi, 5; jne skip; inc edi; jmp {second}; skip: xor eax, eax; ret", "second": "lea eax, [rdi + 1]; ret",
    })  # fmt: skip
    assert store_entry(both, made) == (8, struct.pack("<Q", 7))


def test_strings_are_stored_and_copied(both: Both) -> None:
    both.put(NUMBERS, b"a text of the guest that is copied")
    made = program({"main": f"""mov edx, 64; call {{reserve}}; mov rbx, rax
        mov rdi, rbx; mov eax, 0x41424344; mov ecx, 3; .byte 0xf3, 0xab; movabs rsi, {NUMBERS:#x}; mov ecx, 9; .byte 0xf3, 0xa4
        lea rdi, [rbx + 32]; movabs rsi, {NUMBERS + 2:#x}; mov edx, 15; call {{memcpy}}; jmp {{commit}}"""})
    size, entry = store_entry(both, made)
    assert size == 64 and entry[:21] == b"DCBA" * 3 + b"a text of" and entry[32:47] == b"text of the gue"


@pytest.mark.parametrize("is_on", [False, True])
def test_a_jump_label(both: Both, is_on: bool) -> None:
    """What it says in memory is what is lifted."""
    label = CODE
    body = "cold: mov edx, 8; call {reserve}; mov dword ptr [rax], ebp; jmp {commit}"
    made = program({"main": OFF + "mov ebp, 1; jmp {second}", "first": "mov ebp, 2; jmp {second}", "second": body},
                   labels={label: PLACES["first"]}, always=frozenset([label] if is_on else []))  # fmt: skip
    registers = registers_for(both, ())
    assert both.lifted(made, CODE)(registers) == 8
    assert both.area.entry[0] == (2 if is_on else 1)


FAILING = {
    "a division by zero": "xor ecx, ecx; xor edx, edx; mov eax, 5; div ecx",
    "a quotient that does not fit": "mov ecx, 2; mov edx, 2; mov eax, 5; div ecx",
    "the least number divided by -1": "mov ecx, -1; mov edx, 0x80000000; xor eax, eax; idiv ecx",
    "a division of words by zero": "xor ecx, ecx; xor edx, edx; mov eax, 5; div rcx",
    "memory that is not there": "movabs rcx, 0x123456789000; mov rax, [rcx]",
    "memory beyond RAM": f"movabs rcx, {DIRECT + SIZE - 4:#x}; mov rax, [rcx]",
    "an address that is none": "movabs rcx, 0x1234567890123456; movzx eax, byte ptr [rcx + rcx*8]",
    "a store to the guest": f"movabs rcx, {NUMBERS:#x}; mov qword ptr [rcx], 7",
    "a store below the area": "mov rcx, rbx; sub rcx, 0x100000; mov qword ptr [rcx], 7",
    "a store across the guest": f"movabs rdi, {NUMBERS:#x}; mov ecx, 5; .byte 0xf3, 0xaa",
    "a copy to the guest": f"movabs rdi, {NUMBERS:#x}; mov rsi, rdi; mov edx, 5; call {{memcpy}}",
    "a copy that is too long": "mov rdi, rbx; mov rsi, rbx; mov edx, 0x7fffffff; call {memcpy}",
    "a string instruction without an end": "mov rdi, rbx; mov rcx, -1; .byte 0xf3, 0x48, 0xab",
    "ud2": "ud2",
}  # fmt: skip


@pytest.mark.parametrize("how", FAILING)
def test_what_fails(both: Both, how: str) -> None:
    made = program({"main": UNLESS_9 + FAILING[how] + "; end: jmp {commit}"})
    before = both.ram.copy()
    run = both.lifted(made, CODE)
    assert run(registers_for(both, (1,))) == FAILED
    assert run(registers_for(both, (9,))) == 8, "the next call does not fail"
    assert np.array_equal(before, both.ram)


ENDLESS = {
    "a jump to itself": "again: jmp again",
    "a jump back": "again: inc rax; nop; jmp again",
    "a condition that stays": "xor eax, eax; again: test eax, eax; je again",
    "recursion": "call {main}",
    "two jumps": "one: jmp two; nop; two: inc rcx; jmp one",
    "a list that leads to itself": f"movabs rcx, {NUMBERS:#x}; again: mov rcx, [rcx]; test rcx, rcx; jne again",
}


@pytest.mark.parametrize("how", ENDLESS)
def test_what_has_no_end_fails(both: Both, how: str) -> None:
    both.put(NUMBERS, struct.pack("<Q", NUMBERS))
    made = program({"main": UNLESS_9 + ENDLESS[how] + "; end: jmp {commit}"})
    run = both.lifted(made, CODE)
    assert run(registers_for(both, (9,))) == 8
    assert run(registers_for(both, (1,))) == FAILED


REFUSED = {
    "a call of a register": "call rax", "a jump to a register": "jmp rax", "an instruction that is not lifted": "cpuid",
    "an atomic change": "lock inc dword ptr [rdi]",
    "a variable of the kernel": f"mov dword ptr [{KERNEL + 0x5000 - (1 << 64)}], 1",
    "code that is not there": "jmp {far}", "SSE": "movaps xmm0, [rdi]", "a half word": "div cl",
    "addresses of 32 bits": "mov eax, [ecx + edx]", "port output": "out dx, al",
}  # fmt: skip


@pytest.mark.parametrize("how", REFUSED)
def test_what_is_refused(both: Both, how: str) -> None:
    """If nothing but that leads to the end."""
    PLACES["far"] = KERNEL + 0x8_0000
    try:
        made = program({"main": "mov edx, 8; call {reserve}; " + REFUSED[how] + "; jmp {commit}"})
    finally:
        del PLACES["far"]
    with pytest.raises(CannotLift, match=r"\S"):
        both.lifted(made, CODE)


# Whatever the code is


def test_random_bytes_are_refused_or_run(both: Both) -> None:
    """Or the lifted function fails; nothing worse."""
    rng = random.Random(3)
    done = 0
    for _ in range(150):
        code = bytearray(rng.randbytes(0x1000))
        lead = assemble("mov edx, 8; call {:#x}; mov rbx, rax".format(PLACES["trace_event_buffer_reserve"]), CODE)
        code[: len(lead)] = lead
        trail = assemble("jmp {:#x}".format(PLACES["trace_event_buffer_commit"]), CODE + len(lead) + 12)
        code[len(lead) + 12 : len(lead) + 12 + len(trail)] = trail
        made = Program(bytes(code), names=program({}).names)
        try:
            run = both.lifted(made, CODE)
        except CannotLift:
            continue
        before = both.ram.copy()
        assert run(registers_for(both, tuple(rng.getrandbits(64) for _ in arch.ARGUMENTS))) in (FAILED, 0, 8)
        assert np.array_equal(before, both.ram)
        done += 1
    assert done > 5


BASE = "r15"  # of the registers that are stored at the end
SEQUENCES = [form for name, some in FORMS.items() for form in some if _is_simple(name, form)]


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.long("many")) for seed in range(2, 80))])
def test_random_code_does_what_unicorn_does(both: Both, seed: int) -> None:
    """Instructions, and jumps over some of them. Their flags and registers lead to the end."""
    rng = random.Random(seed)
    count = 40
    lines = [f"mov edx, 128; call {{reserve}}; mov {BASE}, rax; push r12; push r13; mov r12, {BASE}; xor ebx, ebx; mov r13, r12"]
    for name in ("rax", "rcx", "rdx", "r9"):
        lines.append(f"movabs {name}, {rng.choice((rng.getrandbits(64), rng.getrandbits(16)))}")
    lines.append("xor eax, ecx")
    for n in range(count):
        lines.append(f"at{n}: {rng.choice(SEQUENCES)}")
        if n < count - 3 and rng.random() < 0.3:
            lines.append(f"j{rng.choice(CONDITIONS)} at{rng.randrange(n + 1, count)}")
    for flag in ("c", "z", "s", "o"):
        lines.append(f"set{ {'c': 'b', 'z': 'e'}.get(flag, flag) } byte ptr [{BASE} + {'czso'.index(flag)}]")
    for n, name in enumerate(("rax", "rcx", "rdx", "rsi", "r9")):
        lines.append(f"mov [{BASE} + {16 + 8 * n}], {name}")
    lines.append("pop r13; pop r12; jmp {commit}")
    assert store_entry(both, program({"main": "; ".join(lines)}))[0] == 128


# Up to the call of a tracepoint's functions


def arguments_of(both: Both, cold: str, words: int, seed: int) -> int:
    """Evaluates the code behind a tracepoint's nop. Returns the result of the lifted function. The
    arguments in registers and on the stack are Unicorn's."""
    rng = random.Random(seed)
    target, funcs = PLACES["__SCT__tp_func_x"], DIRECT + 0x3_0000
    called = {"first": "mov rax, [rdi + 0x10]; ret", "second": "mov rax, [rdi]; ret"}
    made = program({"main": OFF + "ud2", "cold": cold, **called}, labels={CODE: PLACES["cold"]})
    registers = [rng.getrandbits(64) for _ in GENERAL_REGISTERS]
    for name, value in (("sp", STACK), ("bp", STACK + 0x80), ("bx", NUMBERS)):
        registers[GENERAL_REGISTERS.index(name)] = value
    both.put(NUMBERS, rng.randbytes(0x100))
    both.put(STACK - 0x100, rng.randbytes(0x300))
    both.put(funcs, struct.pack("<Q", NUMBERS))
    before = both.ram.copy()
    result = both.lifted(made, CODE, Target(frozenset([target]), words, funcs))(registers)
    assert np.array_equal(before, both.ram)
    found = [both.area.registers[n] for n in range(6)], [both.area.outgoing[n] for n in range(words)]
    code = bytearray(made.code)
    start = assemble(f"jmp {PLACES['cold']:#x}", CODE)
    code[: len(start)] = start
    witness = both.run_unicorn(bytes(code), registers, FLAGS, bytes(AREA), target)
    if result == 1:
        assert found[0] == [witness.registers[GENERAL_REGISTERS.index(name)] for name in arch.ARGUMENTS]
        at = witness.registers[GENERAL_REGISTERS.index("sp")] + 8 - DIRECT
        assert found[1] == np.frombuffer(both.ram[at : at + 8 * words].tobytes(), np.uint64).tolist()
    both.ram[:] = before
    return result


COLD = {
    "arguments": "mov rdx, [rbx + 8]; mov ecx, [rsp + 0x10]; lea r8, [rbp + 4]; call {target}",
    "pushed": "mov rdx, 3; push rax; push rcx; call {target}; add rsp, 16",
    "stored": "sub rsp, 16; mov [rsp], rax; mov qword ptr [rsp + 8], 7; call {target}; add rsp, 16",
    "pushed below": "sub rsp, 8; push rax; push rcx; mov rdx, [rsp + 0x18]; mov rcx, [rsp + 0x20]; call {target}; add rsp, 24",
    "kept": "mov [rsp + 8], rax; mov rax, rbx; mov rdx, [rsp + 8]; push rdx; push rax; mov rcx, [rsp + 0x18]; call {target}",
    "moved pointer": "mov [rsp], rax; lea rsp, [rsp - 0x20]; mov rdx, [rsp + 0x20]; push rcx; push r8; call {target}",
    "on one way": "mov rdx, rcx; test rcx, 1; je other; mov [rsp + 8], rbx; other: mov rdx, [rsp + 8]; push rdx; "
                  "push rdx; call {target}",
    "on the other way": "jmp begin; join: mov rdx, [rsp + 8]; push rdx; push rdx; call {target}; begin: test rcx, rcx; je join; "
                        "mov [rsp + 8], rax; jmp join",
    "a loop": "xor edx, edx; again: mov rcx, [rsp + 8]; inc edx; mov [rsp + 8], rdx; cmp edx, 5; jne again; push rdx; push rcx; "
              "call {target}",
    "popped": "push rax; push rbx; pop rcx; pop rdx; push 1; push 2; call {target}",
    "a part": "mov [rsp + 8], rax; mov ecx, [rsp + 8]; movzx edx, byte ptr [rsp + 9]; push rcx; push rdx; call {target}",
    "parts": "mov dword ptr [rsp + 8], ecx; mov dword ptr [rsp + 12], edx; mov rcx, [rsp + 8]; push rcx; push rdx; call {target}",
    "by the frame": "mov [rbp - 8], rax; mov rdx, [rbp - 8]; mov rbp, rbx; mov rcx, [rbp - 8]; push rcx; push rdx; call {target}",
    "by both": "mov [rbp - 8], rax; mov rdx, [rsp + 0x78]; push rcx; push rdx; call {target}",
    "by a pointer": "mov [rsp + 8], rax; lea rcx, [rsp + 8]; mov rdx, [rcx]; push rcx; push rdx; call {target}",
    "called": "push rax; push rbx; mov rdi, rbx; call {first}; mov rdx, rax; call {target}",
    "in a call": "mov [rsp + 8], rax; lea rdi, [rsp + 8]; call {second}; mov rdx, rax; push rax; push rax; call {target}",
}  # fmt: skip


@pytest.mark.parametrize("how", COLD)
def test_the_arguments_of_a_tracepoint(both: Both, how: str) -> None:
    """They are Unicorn's."""
    for seed in range(6):
        assert arguments_of(both, COLD[how], 2 if how != "arguments" else 0, seed) == 1


