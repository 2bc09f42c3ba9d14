# SPDX-License-Identifier: GPL-2.0-only
"""Stacks are unwound by ORC tables, rule by rule. tests/linux/test_orc_stacks.py compares this with Linux's own unwinder."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from emu.ftrace.native.arch import x86_64_orc
from emu.ftrace.native.orc_record import OrcEntry
from emu.ftrace.native.trace_values import PLACE_BLOCK, PLACE_FUNCTION
from emu.linux.orc import ENTRY, Orc, OrcText, Type, text_without_orc
from emu.native.records import HOST
from tests.lib.orc_model import PT_REGS, Range, unwind
from tests.lib.orc_unwinder import Call, OrcUnwinder

pytestmark = pytest.mark.static_timing("no guest runs")

TEXT, SIZE = 0xFFFF_FFFF_8100_0000, 0x1000
MODULE = 0xFFFF_FFFF_C020_1000
STACK = 0xFFFF_8880_0001_0000  # the made RAM: four stacks of 16 KiB
STACKS = 4
FUNCTION = 0x40  # bytes of a function
NO_REG, PREV_SP, DX, DI, BP, SP, R10, R13, BP_INDIRECT, SP_INDIRECT = range(10)
CALL, REGS, PARTIAL = Type.CALL, Type.REGS, Type.REGS_PARTIAL
KERNEL_CS, USER_CS = 0x10, 0x33

Rule = tuple[int, int, int, int, int, int]
END: Rule = (0, 0, Type.END_OF_STACK, NO_REG, NO_REG, 0)


def rule(kind: int, base: int, offset: int, bp: int = NO_REG, bp_offset: int = 0, signal: int | None = None) -> Rule:
    return offset, bp_offset, kind, base, bp, int(kind != CALL) if signal is None else signal


def rules(start: int, *of_functions: Rule) -> Orc:
    """One rule for each function."""
    addresses = [start + FUNCTION * n for n in range(len(of_functions))]
    return Orc(np.array(addresses, np.uint64), np.array([*of_functions], ENTRY))


def inside(n: int, start: int = TEXT) -> int:
    """An address in a function."""
    return start + n * FUNCTION + 0x11


class Made:
    """An unwinder of a made stack. `ram` has its words."""

    def __init__(self, text: OrcText, others: Sequence[OrcText] = (), site_end: int | None = 5, with_places: bool = True) -> None:
        self.ram = np.zeros(STACKS * 0x800 + 1, np.uint64)
        place = self.ram.ctypes.data
        self.native = OrcUnwinder(place, STACKS * 0x4000, text, others, STACK, site_end, with_places)

    def put(self, address: int, *words: int) -> None:
        place = (address - STACK) // 8
        self.ram[place : place + len(words)] = words

    def put_regs(self, address: int, values: Mapping[str, int]) -> None:
        self.put(address, *(values.get(name, 0xBAD0 + n) for n, name in enumerate(PT_REGS)))

    def put_stored(self, address: int, ip: int, sp: int, cs: int = KERNEL_CS) -> None:
        """What the processor stores."""
        self.put(address, ip, cs, 0x202, sp, 0x18)

    def calls(self, ip: int, most: int = 100, place: int = PLACE_BLOCK, **registers: int) -> list[Call]:
        return self.native.from_registers(ip, registers, most=most, place=place)

    def addresses(self, ip: int, **registers: int) -> list[int]:
        return [call.address for call in self.calls(ip, **registers)]


def made(*of_functions: Rule, others: Sequence[OrcText] = (), site_end: int | None = 5) -> Made:
    return Made(rules(TEXT, *of_functions).text(TEXT, FUNCTION * len(of_functions)), others, site_end)


def test_calls_by_the_stack_pointer() -> None:
    guest = made(rule(CALL, SP, 8), rule(CALL, SP, 24), rule(CALL, SP, 0x108), END)
    sp = STACK + 0x1000
    guest.put(sp, inside(1))
    guest.put(sp + 8 + 16, inside(2))
    guest.put(sp + 32 + 0x100, inside(3))
    found = guest.calls(inside(0), sp=sp)
    assert found == [(inside(0), sp), (inside(1), sp), (inside(2), sp + 24), (inside(3), sp + 0x120)]
    assert [guest.calls(inside(0), sp=sp, most=most) for most in range(5)] == [found[:most] for most in range(5)]


def test_only_addresses() -> None:
    guest = Made(rules(TEXT, rule(CALL, SP, 8), END).text(TEXT, 2 * FUNCTION), with_places=False)
    guest.put(STACK, inside(1))
    words = guest.native.out
    assert guest.calls(inside(0), sp=STACK) == [Call(inside(0)), Call(inside(1))] and words[:2].tolist() == [inside(0), inside(1)]


def test_frame_pointers() -> None:
    """A function that uses one, one that only saves it, one that finds its caller's relative to its own."""
    bp = STACK + 0x200
    guest = made(rule(CALL, BP, 16, PREV_SP, -16), rule(CALL, SP, 24, PREV_SP, -24), rule(CALL, BP, 32, BP, -8), END)
    guest.put(bp, STACK + 0x300, inside(1), STACK + 0x400, 0, inside(2))  # two frames
    guest.put(STACK + 0x400 - 8, STACK + 0x500)
    guest.put(STACK + 0x400 + 24, inside(0))
    guest.put(STACK + 0x500, 0, inside(3))
    found = [Call(inside(0), STACK), Call(inside(1), bp + 8), Call(inside(2), bp + 32)]
    found += [Call(inside(0), STACK + 0x400 + 24), Call(inside(3), STACK + 0x508)]
    assert guest.calls(inside(0), sp=STACK, bp=bp) == found


def test_an_interrupt_on_another_stack() -> None:
    """A call on the stack for interrupts; the words by which it was left; all registers; what was interrupted."""
    old, new = STACK + 0x1000, STACK + 0x4000
    guest = made(rule(CALL, SP, 8), rule(CALL, SP_INDIRECT, 8), rule(REGS, SP, 8), rule(CALL, BP, 16, PREV_SP, -16), END)
    guest.put(new + 0x3FE8, inside(1), old)
    guest.put(old, inside(2), 0x1234)
    guest.put_regs(old + 16, {"ip": TEXT + 3 * FUNCTION, "sp": old + 0x200, "bp": old + 0x300, "cs": KERNEL_CS})
    guest.put(old + 0x300, 0, inside(4))
    found = guest.addresses(inside(0), sp=new + 0x3FE8, bp=7)
    assert found == [inside(0), inside(1), inside(2), TEXT + 3 * FUNCTION, inside(4)]


def test_a_stack_pointer_saved_in_a_frame() -> None:
    bp = STACK + 0x400
    guest = made(rule(CALL, BP_INDIRECT, -8, BP, 0), END)
    guest.put(bp - 8, STACK + 0x4100)
    guest.put(STACK + 0x40F8, inside(1))
    assert guest.addresses(inside(0), sp=STACK, bp=bp) == [inside(0), inside(1)]


@pytest.mark.parametrize(("name", "number"), [("r10", R10), ("r13", R13), ("di", DI), ("dx", DX)])
def test_a_stack_pointer_in_a_register(name: str, number: int) -> None:
    """It is the CPU's, or that of interrupted code, of two interrupts the latest one's. After a call it is lost."""
    guest = made(rule(CALL, number, 0), rule(REGS, SP, 0), rule(PARTIAL, SP, 0), rule(CALL, SP, 8), END)
    top, regs, stored = STACK + 0x800, STACK + 0x100, STACK + 0x80
    guest.put(top - 8, inside(4))
    assert guest.addresses(inside(0), sp=STACK, **{name: top}) == [inside(0), inside(4)]
    guest.put_regs(regs, {"ip": inside(0), "sp": STACK + 0x300, "cs": KERNEL_CS, name: top})
    assert guest.addresses(inside(1), sp=regs) == [inside(1), inside(0), inside(4)]
    guest.put_regs(regs, {"ip": inside(2), "sp": STACK + 0x300, "cs": KERNEL_CS, name: top})
    guest.put_stored(STACK + 0x300, inside(0), STACK + 0x400)
    assert guest.addresses(inside(1), sp=regs) == [inside(1), inside(2), inside(0), inside(4)]
    guest.put_stored(stored, inside(0), STACK + 0x400)
    assert guest.addresses(inside(2), sp=stored, **{name: top}) == [inside(2), inside(0), inside(4)]
    guest.put(STACK, inside(0))
    assert guest.addresses(inside(3), sp=STACK, **{name: top}) == [inside(3), inside(0)]
    guest.put(STACK, inside(2))
    guest.put_stored(STACK + 8, inside(0), STACK + 0x400)
    assert guest.addresses(inside(3), sp=STACK, **{name: top}) == [inside(3), inside(2), inside(0)]


def test_the_frame_pointer_of_interrupted_code() -> None:
    guest = made(rule(REGS, SP, 0), rule(PARTIAL, SP, 0), rule(CALL, BP, 16), END)
    guest.put_regs(STACK, {"ip": inside(2), "sp": STACK + 0x200, "cs": KERNEL_CS, "bp": STACK + 0x300})
    guest.put(STACK + 0x308, inside(3))
    assert guest.addresses(inside(0), sp=STACK, bp=STACK + 0x500) == [inside(0), inside(2), inside(3)]
    guest.put_stored(STACK, inside(2), STACK + 0x200)
    assert guest.addresses(inside(1), sp=STACK, bp=STACK + 0x300) == [inside(1), inside(2), inside(3)]


@pytest.mark.parametrize("kind", [REGS, PARTIAL])
def test_programs_end_a_trace(kind: int) -> None:
    guest = made(rule(kind, SP, 0), rule(CALL, SP, 8), END)
    for ip, shown in ((0x40_1000, []), (inside(1), [inside(1)])):  # no program is there, but it may jump there
        guest.put_regs(STACK, {"ip": ip, "sp": STACK + 0x200, "cs": USER_CS})
        if kind == PARTIAL:
            guest.put_stored(STACK, ip, STACK + 0x200, USER_CS)
        guest.put(STACK + 0x200, inside(2))
        assert guest.addresses(inside(0), sp=STACK) == [inside(0), *shown]


def test_which_rule_applies() -> None:
    """Behind a call it is that of the byte before; where the CPU is, or was interrupted, that of the byte itself."""
    guest = made(rule(CALL, SP, 8), rule(CALL, SP, 16), rule(PARTIAL, SP, 0), rule(PARTIAL, SP, 0, signal=0), END)
    first, second = TEXT + FUNCTION, TEXT + 2 * FUNCTION
    guest.put(STACK, first, inside(4), inside(4))
    assert guest.calls(TEXT, sp=STACK) == [(TEXT, STACK), (first, STACK), (inside(4), STACK + 8)]
    assert guest.calls(first, sp=STACK) == [(first, STACK), (inside(4), STACK + 8)]
    for n, slot in ((2, 8), (3, 0)):
        guest.put_stored(STACK, first, STACK + 0x100)
        guest.put(STACK + 0x100, inside(4), inside(4))
        assert guest.calls(inside(n), sp=STACK)[1:] == [(first, STACK), (inside(4), STACK + 0x100 + slot)]
    assert guest.calls(second, sp=STACK)[0] == (second, STACK)


@pytest.mark.parametrize(
    "last",
    [
        END,
        (0, 0, Type.UNDEFINED, NO_REG, NO_REG, 0),
        rule(6, SP, 8),  # no such type
        rule(255, SP, 8),
        rule(CALL, NO_REG, 8),
        rule(CALL, PREV_SP, 8),
        rule(CALL, 10, 8),  # no such register
        rule(CALL, 15, 8),
        rule(CALL, SP, 8, bp=SP),
        rule(CALL, SP, 8, bp=15),
        rule(CALL, SP, 7),  # not aligned
        rule(CALL, SP, 0),  # the stack does not become smaller
        rule(CALL, SP, -8),
        rule(CALL, BP, 16),  # a program's address
        rule(CALL, SP_INDIRECT, 0),
        rule(CALL, BP_INDIRECT, 0),
        rule(CALL, R13, 0),
        rule(PARTIAL, SP, -16),  # registers with an address in no code
    ],
)
def test_what_ends_a_trace(last: Rule) -> None:
    guest = made(rule(CALL, SP, 8), last)
    guest.put(STACK + 0x100 - 8, 0, inside(1), inside(1), inside(1))
    assert guest.addresses(inside(0), sp=STACK + 0x100, bp=0x7FFF_0000_0000) == [inside(0), inside(1)]


def test_addresses_in_no_code() -> None:
    guest = made(rule(CALL, SP, 8))
    for address in (0, 1, TEXT - 1, TEXT + FUNCTION, (1 << 64) - 1, STACK):
        guest.put(STACK, address)
        assert guest.addresses(inside(0), sp=STACK) == [inside(0)]
        assert guest.addresses(address, sp=STACK) == []
    guest.put(STACK, TEXT)  # a return address with no call before it
    assert guest.addresses(inside(0), sp=STACK) == [inside(0), TEXT]


def test_modules_copies_and_generated_code() -> None:
    """Texts besides the kernel's are found wherever they are. A copy has its original's rules, generated code a frame pointer."""
    of_module = rules(MODULE, rule(CALL, SP, 24), rule(CALL, SP, 8))
    core, init = of_module.text(MODULE, FUNCTION), of_module.text(MODULE + FUNCTION, FUNCTION)
    text = rules(TEXT, rule(CALL, SP, 8), END).text(TEXT, 2 * FUNCTION)
    copies = [text.copied_to(start - 0x1000) for start in (MODULE, TEXT)]
    others = [init, text_without_orc(MODULE + 0x8000, 0x100), copies[0], core, copies[1]]
    guest = Made(text, others)
    stack = [inside(0, MODULE - 0x1000), inside(0, TEXT - 0x1000), inside(0, MODULE), 1, 2, inside(1, MODULE), MODULE + 0x8010]
    guest.put(STACK, *stack)
    guest.put(STACK + 0x100, 0, inside(1, MODULE - 0x1000))
    found = guest.addresses(inside(0), sp=STACK, bp=STACK + 0x100)
    assert found == [inside(0), *stack[:3], *stack[5:], inside(1, MODULE - 0x1000)]
    for lost in (STACK - 0x18, STACK + 0x4000, 0x7FFF_0000_0000):
        assert len(guest.addresses(inside(0), sp=STACK, bp=lost)) == 6
    for address in (MODULE + 2 * FUNCTION, MODULE - 1, MODULE + 0x8100, TEXT - 0x1001):
        assert guest.addresses(address, sp=STACK) == []
    guest.native.tables.set_others([])
    assert guest.addresses(inside(0), sp=STACK) == [inside(0)]


@pytest.mark.parametrize(
    ("code", "distance"),
    [("0f1f440000", 5), ("e800000000", 5), ("f30f1efa0f1f440000", 9), ("660f1f00e800000000", 9), ("0f1f40d6cc1f440000", 9)],
)
def test_the_first_address_at_a_function(code: str, distance: int) -> None:
    """It is behind the site's call, which comes after endbr64 or what has replaced it."""
    text = rules(STACK, rule(CALL, SP, 8), END).text(STACK, 2 * FUNCTION)  # in RAM, where its code can be read
    word = int.from_bytes(bytes.fromhex(code)[:8].ljust(8, b"\x90"), "little")
    for site_end, after in ((None, distance), (5, 5), (9, 9)):
        guest = Made(text, site_end=site_end)
        guest.put(STACK, word)
        guest.put(STACK + 0x800, inside(1, STACK))
        found = guest.calls(STACK, sp=STACK + 0x800, place=PLACE_FUNCTION)
        assert found == [(STACK + after, STACK + 0x7F8), (inside(1, STACK), STACK + 0x800)]


def test_constants_are_those_of_the_tables() -> None:
    types = x86_64_orc.CALL, x86_64_orc.REGS, x86_64_orc.REGS_PARTIAL, x86_64_orc.GUESS
    assert types == tuple(Type)[2:] and Type.UNDEFINED < Type.END_OF_STACK < Type.CALL
    saved = {name[6:].lower(): int(value) for name, value in vars(x86_64_orc).items() if name.startswith("SAVED_")}
    assert {name: offset // 8 for name, offset in saved.items()} == {name: PT_REGS.index(name) for name in saved}
    assert 8 * PT_REGS.index("ip") == x86_64_orc.STORED
    record = {name: (field.stored.newbyteorder("<"), field.offset) for name, field in HOST.fields(OrcEntry).items()}
    assert {name: (kind.newbyteorder("<"), offset) for name, (kind, offset, *_) in (ENTRY.fields or {}).items()} == record
    assert HOST.size(OrcEntry) == ENTRY.itemsize


# Whatever tables and stacks contain


def likely_rule(chance: random.Random, wild: float) -> Rule:
    if chance.random() > wild:
        return rule(CALL, SP, 8 * chance.randrange(1, 6), chance.choice((NO_REG, NO_REG, PREV_SP)), -16)
    if chance.random() < 0.1:
        kind, base, bp, signal = (chance.randrange(256) for _ in range(4))
        return rule(kind, base, chance.randrange(-300, 300), bp, chance.randrange(-300, 300), signal)
    kind = chance.choice((CALL, CALL, CALL, CALL, REGS, PARTIAL, Type.GUESS, Type.END_OF_STACK))
    base = chance.choice((SP, SP, SP, SP, BP, BP, BP_INDIRECT, SP_INDIRECT, R10, R13, DI, DX))
    bp = chance.choice((NO_REG, NO_REG, PREV_SP, PREV_SP, BP))
    return rule(kind, base, 8 * chance.randrange(-1, 12), bp, -8 * chance.randrange(4), chance.randrange(2))


def likely_words(chance: np.random.Generator, count: int, wild: float) -> list[int]:
    """Code, places on the stacks, and others, in some proportion."""
    parts = (1 - wild / 2, wild / 3, wild / 6)
    words = [
        np.where(chance.random(count) < 0.7, TEXT, MODULE).astype(np.uint64) + chance.integers(SIZE, size=count, dtype=np.uint64),
        np.uint64(STACK) + 8 * chance.integers(STACKS * 0x800, size=count, dtype=np.uint64),
        chance.choice(np.array([0, KERNEL_CS, USER_CS, STACK + 3, 0xFFFF_FFFF_FFFF_FFFF, 1 << 63], np.uint64), count),
    ]
    found: list[int] = np.choose(chance.choice(3, count, p=parts), words).tolist()
    return found


@pytest.mark.parametrize("seed", range(3))
def test_random_tables_and_stacks(seed: int) -> None:
    """They are unwound as by the model, and never further than there is room."""
    chance, words_chance = random.Random(seed), np.random.default_rng(seed)
    lengths = list[int]()
    for _ in range(10):
        both, wild = [], chance.choice((0.05, 0.2, 0.5, 1))
        for start in (TEXT, MODULE):
            places = sorted(chance.sample(range(start - 0x20, start + SIZE), chance.choice((1, 2, 50, 300))))
            both.append(Orc(np.array(places, np.uint64), np.array([likely_rule(chance, wild) for _ in places], ENTRY)))
        guest = Made(both[0].text(TEXT, SIZE), [both[1].text(MODULE, SIZE)])
        code = [Range(TEXT, SIZE, both[0]), Range(MODULE, SIZE, both[1])]
        for _ in range(50):
            words = likely_words(words_chance, STACKS * 0x800, wild)
            guest.ram[:-1] = words

            def word(address: int, words: list[int] = words) -> int:
                place, rest = divmod(address - STACK, 8)
                return words[place] if not rest and 0 <= place < len(words) else 0

            registers = dict(zip(("bp", "r10", "r13", "di", "dx"), likely_words(words_chance, 5, 1), strict=True))
            registers["sp"] = STACK + 8 * chance.randrange(STACKS * 0x800)
            ip, most = TEXT + chance.randrange(SIZE), chance.choice((3, 100))
            found = [call.address for call in guest.calls(ip, most, **registers)]
            assert found == unwind(code, word, ip, registers, most)
            lengths.append(len(found))
    assert len(lengths) == 500 and max(lengths) > 10 and sum(length > 4 for length in lengths) > 20
