# SPDX-License-Identifier: GPL-2.0-only
"""Lifted instructions beside Unicorn's: registers, flags and memory. Unicorn is the witness."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

import llvmlite.ir as ir
import numpy as np
import pytest

from emu.cpu.arch.x86_64.state import GENERAL_REGISTERS
from emu.linux.lift.x86_64_operations import IGNORED, OPERATIONS
from tests.lib.lifted import AREA, DIRECT, FAILED, FLAG_BITS, Both, assemble, place_in
from tests.linux.lift import forms

pytestmark = pytest.mark.static_timing("no machine runs")

CASES = 24  # of each form
EDGES = [0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 2**63 - 1, 2**63, 2**64 - 1]
SP, BP, CX, DI, SI = (GENERAL_REGISTERS.index(name) for name in ("sp", "bp", "cx", "di", "si"))
SPECIAL = [GENERAL_REGISTERS.index(name.replace("rb", "b")) for name in (forms.PLACE, forms.INDEXED, forms.INDEX)]


@pytest.fixture(scope="module")
def both() -> Both:
    made = Both()
    made.ram[:] = np.frombuffer(random.Random(1).randbytes(len(made.ram)), np.uint8)
    return made


def some_registers(both: Both, rng: random.Random, text: str) -> list[int]:
    """Values for all registers; those that are addresses are in the area, or in RAM if the instruction only reads."""
    found = [rng.choice(EDGES) if rng.random() < 0.4 else rng.getrandbits(rng.choice((8, 16, 32, 64))) for _ in GENERAL_REGISTERS]
    entry = place_in(both, "entry")
    reads = text.startswith(forms.READING) or "ptr" in text.partition(",")[2]
    base = rng.choice((entry, DIRECT + 0x4_0000, DIRECT + 0x4_0FFD)) if reads and not text.startswith("movs") else entry
    place, indexed, index = SPECIAL
    found[place] = base + 0x400 + rng.randrange(64)
    found[index] = rng.choice((0, 3, -5 & 2**64 - 1, 0x40))
    found[indexed] = base + 0x400 - 4 * found[index] & 2**64 - 1
    found[SP] = place_in(both, "stack") + 0x2000 + 8 * rng.randrange(16)
    found[BP] = found[SP] + 0x40 if text == "leave" else found[BP]
    if "gs:" in text:
        found[CX] = rng.randrange(0x1000)
    elif re.fullmatch(r"(rep )?(stos|movs)[bwdq]", text):
        found[CX] = rng.randrange(20)
        found[DI] = entry + rng.randrange(0x100)
        found[SI] = rng.choice((entry + 0x800, DIRECT + 0x4_0FC0)) + rng.randrange(64)
    elif text.startswith("bt ") and "ptr" in text and text.rpartition(",")[2].strip() in ("cx", "ecx", "rcx"):
        found[CX] = rng.randrange(-2000, 2000) & 2**64 - 1
    elif text.startswith(("div", "idiv")) and rng.random() < 0.8:
        _make_divisible(found, rng, text)
    return found


def _make_divisible(found: list[int], rng: random.Random, text: str) -> None:
    """The upper half of a dividend is the sign of the lower one, or small."""
    width = 8 * forms.width_of(text)
    ax, dx = GENERAL_REGISTERS.index("ax"), GENERAL_REGISTERS.index("dx")
    sign = -(found[ax] >> width - 1 & 1) & 2**64 - 1
    found[dx] = rng.choice((0, sign, rng.randrange(8)) if text.startswith("div") else (sign, sign, 0, 2**64 - 1))


def is_refused(text: str, registers: Sequence[int]) -> bool:
    """Whether a signed dividend really has two words, which lifted code does not divide. (Unicorn traps for the least one.)"""
    width = 8 * forms.width_of(text) if text.startswith("idiv") else 0
    ax, dx = (registers[GENERAL_REGISTERS.index(name)] & (1 << width) - 1 for name in ("ax", "dx"))
    return bool(width) and (width == 64 or dx == 1 << width - 1) and dx != -(ax >> width - 1) & (1 << width) - 1


def check(both: Both, texts: Sequence[str], rng: random.Random, cases: int = CASES) -> None:
    """Compares each form with Unicorn's, for some registers, flags and memory."""
    module = ir.Module("lifted")
    codes = [assemble(text) for text in texts]
    names = [f"form{n}" for n in range(len(texts))]
    for name, code in zip(names, codes, strict=True):
        both.operation(module, name, code)
    for text, code, function in zip(texts, codes, both.compiled(module, names), strict=True):
        for _ in range(cases):
            registers = some_registers(both, rng, text)
            flags = {flag: rng.random() < 0.5 for flag in FLAG_BITS}
            area = rng.randbytes(AREA)
            found = both.run_operation(function, registers, flags, area)
            if is_refused(text, registers):
                assert found.result == FAILED or forms.width_of(text) < 8
                continue
            expected = both.run_unicorn(code, registers, flags, area)
            about = f"{text}, cl {registers[CX] & 0xFF:#x}, {[hex(value) for value in registers]}, {flags}"
            assert (found.result == FAILED) == (expected.result == FAILED), about
            if found.result == FAILED or forms.is_undefined(text, registers[CX] & 0xFF):
                continue
            ignored = forms.undefined(text, registers[CX] & 0xFF)
            if text.startswith(("bsf", "bsr")) and expected.flags["zf"]:
                assert found.flags["zf"], about
                continue
            assert [hex(n) for n in found.registers] == [hex(n) for n in expected.registers], about
            defined = sorted(found.flags.keys() - ignored)
            assert [(flag, found.flags[flag]) for flag in defined] == [(flag, expected.flags[flag]) for flag in defined], about
            failed = place_in(both, "failed") - both.area.address
            assert (found.area[:failed], found.area[failed + 8 :]) == (expected.area[:failed], expected.area[failed + 8 :]), about


def test_some_forms_of_all_instructions(both: Both) -> None:
    rng = random.Random(2)
    check(both, [form for some in forms.FORMS.values() for form in rng.sample(some, -(-len(some) // 40))], rng, 6)


@pytest.mark.long("every form of every instruction")
@pytest.mark.parametrize("mnemonic", forms.FORMS)
def test_an_instruction_does_what_unicorns_does(both: Both, mnemonic: str) -> None:
    check(both, forms.FORMS[mnemonic], random.Random(mnemonic))


def test_some_instructions_do_nothing(both: Both) -> None:
    check(both, forms.IGNORED, random.Random(1), 2)


def test_every_operation_is_tested() -> None:
    tested = {name for name in OPERATIONS if name.removeprefix("rep ")[:4] in ("stos", "movs")}
    tested |= forms.FORMS.keys()
    assert OPERATIONS.keys() - tested == {"pushfq", "popfq"}
    assert {text.split()[0] for text in forms.IGNORED} <= IGNORED


def test_pushed_flags_are_popped(both: Both) -> None:
    """What is pushed is only good for being popped."""
    module = ir.Module("lifted")
    for name in ("pushfq", "popfq"):
        both.operation(module, name, assemble(name))
    registers = some_registers(both, random.Random(1), "push rax")
    flags = dict.fromkeys(FLAG_BITS, True)
    pushed, popped = both.compiled(module, ["pushfq", "popfq"])
    after = both.run_operation(pushed, registers, flags, bytes(AREA))
    assert after.registers[SP] == registers[SP] - 8 and after.flags == flags
    again = both.run_operation(popped, after.registers, flags, after.area)
    assert again.registers == tuple(registers) and again.flags == flags
