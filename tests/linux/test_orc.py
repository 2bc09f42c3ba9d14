# SPDX-License-Identifier: GPL-2.0-only
"""ORC tables are read in each layout that Linux has had, also if they are damaged. Those of a real kernel are looked up."""

from __future__ import annotations

import random
import re
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from emu.ftrace.native.orc_record import OrcText as OrcTextRecord
from emu.ftrace.native.orc_record import TextTables, entry_at
from emu.linux.image import Kernel, read_kernel
from emu.linux.orc import ENTRY, NoOrc, Orc, OrcLayout, OrcText, Type, kernel_texts, text_without_orc
from emu.linux.symbols import Symbols
from emu.native.functions import shared
from emu.native.records import Values, Words, u32, u64
from tests.lib.orc_model import rule_at
from tests.linux.made_kernels import TEXT, Symbol, kallsyms, kernel_with

pytestmark = [pytest.mark.usefixtures("cache", "boot"), pytest.mark.static_timing("no guest runs")]

MEMBERS = {"6.1": {"type", "end"}, "6.3": {"type", "signal", "end"}, "6.4": {"type", "signal"}}
LAYOUTS = {name: OrcLayout.of(members.__contains__) for name, members in MEMBERS.items()}
# The same rules in each layout: the upper byte of the 16 bits. Registers were interrupted, and once they were not.
UPPER = {
    "6.1": {"call": 0, "regs": 1, "partial": 2, "end": 4, "unknown": 0},
    "6.3": {"call": 0, "regs": 1 | 4, "partial": 2 | 4, "left": 2, "end": 8, "unknown": 0},
    "6.4": {"call": 2, "regs": 3 | 8, "partial": 4 | 8, "left": 4, "end": 1, "unknown": 0},
}
TYPES = {"call": 2, "regs": 3, "partial": 4, "left": 4, "end": 1, "unknown": 0}
SP = 5

Element = tuple[int, str, int]  # address, what it says, the offset of the stack pointer


def arrays(address: int, elements: Sequence[Element], layout: str) -> tuple[bytes, bytes]:
    """The two arrays, of which the first is at an address."""
    ips = b"".join(struct.pack("<i", place - address - 4 * n) for n, (place, _, _) in enumerate(elements))
    bits = [UPPER[layout][kind] << 8 | (0x10 | SP if kind not in ("end", "unknown") else 0) for _, kind, _ in elements]
    return ips, b"".join(struct.pack("<hhH", offset, -16, bit) for bit, (_, _, offset) in zip(bits, elements, strict=True))


def some_elements(layout: str) -> list[Element]:
    kinds = [kind for kind in UPPER[layout] if kind not in ("end", "unknown")]
    some = [(TEXT + 0x10 + 0x28 * n, kinds[n % len(kinds)], 8 * n) for n in range(60)]
    return [*some, (TEXT + 0x2000, "end", 0), (TEXT + 0x2100, "unknown", 0)]


def rule(kind: str, offset: int) -> tuple[int, ...]:
    has_registers = kind not in ("end", "unknown")
    return offset, -16, TYPES[kind], SP * has_registers, int(has_registers), int(kind in ("regs", "partial"))


def made_kernel(elements: Sequence[Element], layout: str, folder: Path, without: str = "") -> Kernel:
    """A kernel with symbols but without sections."""
    start = TEXT + 0x4000
    ips, entries = arrays(start, elements, layout)
    symbols = [
        (TEXT, "T", "_stext"), (TEXT + 0x2800, "T", "_etext"),
        (TEXT + 0x3000, "T", "_sinittext"), (TEXT + 0x3100, "T", "_einittext"),
        (start, "D", "__start_orc_unwind_ip"), (start + len(ips), "D", "__stop_orc_unwind_ip"),
        (start + len(ips), "D", "__start_orc_unwind"), (start + len(ips + entries), "D", "__stop_orc_unwind"),
    ]  # fmt: skip
    many = [(TEXT + 0x8000 + n, "d", f"variable_{n}") for n in range(300)]
    left: list[Symbol] = [symbol for symbol in [*symbols, *many] if symbol[2] != without]
    before = bytes(0x4000) + ips + entries
    return kernel_with(kallsyms(left, "6.1", before + b"".join(b"%d\0" % n for n in range(300))), folder)


@pytest.mark.parametrize("layout", UPPER)
@pytest.mark.parametrize("is_told", [False, True])
def test_the_tables_of_a_kernel(layout: str, is_told: bool, tmp_path: Path) -> None:
    elements = some_elements(layout)
    kernel = made_kernel(elements, layout, tmp_path)
    orc = Orc.of_kernel(kernel, Symbols(kernel), LAYOUTS[layout] if is_told else None)
    assert orc.addresses.tolist() == [address for address, _, _ in elements]
    assert orc.entries.tolist() == [rule(kind, offset) for _, kind, offset in elements]
    text, init = kernel_texts(orc, Symbols(kernel))
    assert (text.start, text.size, init.start, init.size) == (TEXT, 0x2800, TEXT + 0x3000, 0x100)
    assert text.offsets.tolist() == [0, *(address - TEXT for address, _, _ in elements[1:])]  # the first is for what is before it
    assert init.offsets.tolist() == [0] and init.entries.tolist() == [rule("unknown", 0)]


def test_elements_at_one_place() -> None:
    """The last one applies. Linux sorts a module's, and puts terminators before others; nothing else is sorted."""
    sorted_already = [(TEXT, "call", 8), (TEXT, "call", 16), (TEXT + 1, "unknown", 0), (TEXT + 1, "end", 0)]
    unsorted = [(TEXT + 1, "end", 0), (TEXT, "call", 16), (TEXT + 1, "unknown", 0), (TEXT, "unknown", 0)]
    for elements in (sorted_already, unsorted):
        orc = Orc.of(TEXT + 0x1000, *arrays(TEXT + 0x1000, elements, "6.4"), LAYOUTS["6.4"])
        assert (orc.addresses.tolist(), orc.entries.tolist()) == ([TEXT, TEXT + 1], [rule("call", 16), rule("end", 0)])


def test_a_type_that_does_not_exist_is_undefined() -> None:
    for layout, upper in (("6.1", 3), ("6.4", 5), ("6.4", 7)):
        (found,) = LAYOUTS[layout].expanded(struct.pack("<hhH", 8, 0, upper << 8 | SP))
        assert found["type"] == Type.UNDEFINED


def test_kernels_without_tables(tmp_path: Path) -> None:
    for without in ("__start_orc_unwind_ip", "__stop_orc_unwind"):
        kernel = made_kernel(some_elements("6.4"), "6.4", tmp_path, without)
        with pytest.raises(NoOrc, match=r"^\S+: the kernel has no ORC tables \(CONFIG_UNWINDER_ORC\)$"):
            Orc.of_kernel(kernel, Symbols(kernel))
    kernel = made_kernel([(TEXT, "call", 8)], "6.4", tmp_path)
    with pytest.raises(NoOrc, match=r"^\S+: the ORC tables have no end of a stack$"):
        Orc.of_kernel(kernel, Symbols(kernel))
    kernel = made_kernel(some_elements("6.4"), "6.4", tmp_path, "_einittext")
    with pytest.raises(NoOrc, match=r"^the kernel has no _sinittext or no _einittext$"):
        kernel_texts(Orc.of_kernel(kernel, Symbols(kernel)), Symbols(kernel))


def test_damaged_arrays() -> None:
    ips, entries = arrays(TEXT, some_elements("6.4"), "6.4")
    for wrong in ((b"", b""), (ips, entries[:-1]), (ips[:-1], entries), (ips, entries[:-6]), (ips[:-4], entries)):
        with pytest.raises(NoOrc, match=r"^ORC tables of [\d,]+ and [\d,]+ bytes$"):
            Orc.of(TEXT, *wrong)
    chance = random.Random(0)
    for _ in range(100):
        count = chance.choice((1, 2, 100))
        data = chance.randbytes(4 * count), chance.randbytes(6 * count)
        orc = Orc.of(chance.choice((0, TEXT, (1 << 64) - 4)), *data, LAYOUTS[chance.choice(list(LAYOUTS))])
        assert (orc.addresses[1:] > orc.addresses[:-1]).all()
        text = orc.text(TEXT + chance.randrange(-1000, 1000), chance.choice((1, 128, 12345)))
        assert_consistent(text)


def assert_consistent(text: OrcText) -> None:
    """Native code checks no bounds."""
    assert len(text.offsets) == len(text.entries) > 0 == text.offsets[0]
    assert (text.offsets[1:] > text.offsets[:-1]).all() and int(text.offsets[-1]) < text.size
    assert len(text.blocks) > (text.size - 1 >> text.shift) + 1 and int(text.blocks[-1]) == len(text.offsets) - 1


@pytest.mark.parametrize(("start", "size"), [(TEXT, 0), (TEXT, -1), (TEXT, 1 << 32), (-1, 5), ((1 << 64) - 5, 6)])
def test_texts_that_cannot_be(start: int, size: int) -> None:
    with pytest.raises(ValueError, match="no text has"):
        text_without_orc(start, size)


# A real kernel


@shared
def find_all(text: OrcTextRecord, offsets: Values[u32], count: u64, found: Values[u64]) -> None:
    """The rules at offsets, each as a word."""
    for n in range(count):
        found[n] = Words(entry_at(text, offsets[n]).address)[0]


def looked_up(text: OrcText, addresses: NDArray[np.uint64]) -> NDArray[np.void]:
    offsets, found = (addresses - np.uint64(text.start)).astype(np.uint32), np.zeros(len(addresses), np.uint64)
    record = TextTables(text).record.kernel
    find_all(record, Values[u32](offsets.ctypes.data), len(offsets), Words(found.ctypes.data))
    return found.view(ENTRY)


@pytest.fixture(scope="session")
def real(real_kernel: Path) -> Kernel:
    return read_kernel(real_kernel)


@pytest.fixture(scope="session")
def real_orc(real: Kernel, real_symbols: Symbols) -> Orc:
    return Orc.of_kernel(real, real_symbols)


def stored(kernel: Kernel, symbols: Symbols) -> tuple[NDArray[np.uint64], NDArray[np.uint16]]:
    """The elements' places, and their words (three for each), by the symbols."""

    def between(name: str) -> tuple[int, bytes]:
        start, stop = (symbols.address(f"__{edge}_orc_{name}") for edge in ("start", "stop"))
        assert start is not None and stop is not None
        (segment,) = (s for s in kernel.segments if s.virtual <= start < s.virtual + len(s.data))
        return start, bytes(segment.data[start - segment.virtual : stop - segment.virtual])

    start, ips = between("unwind_ip")
    places = [start + 4 * n + distance for n, (distance,) in enumerate(struct.iter_unpack("<i", ips))]
    return np.array(places, np.uint64), np.frombuffer(between("unwind")[1], "<u2").reshape(-1, 3)


def test_the_layout_of_a_real_kernel(real: Kernel, real_symbols: Symbols) -> None:
    version = tuple(map(int, re.findall(r"\d+", real.version)[:2]))
    expected = LAYOUTS["6.1" if version < (6, 3) else "6.3" if version < (6, 4) else "6.4"]
    assert OrcLayout.found_in(stored(real, real_symbols)[1].tobytes()) == expected


def test_every_place_of_a_real_kernel(real: Kernel, real_orc: Orc, real_symbols: Symbols) -> None:
    """Native code finds the rules that stand in the image: where they begin and end, and at each function's ends and middle."""
    places, words = stored(real, real_symbols)
    assert (places[1:] >= places[:-1]).all()
    symbols = np.unique(real_symbols.addresses)
    middles = symbols[:-1] + np.diff(symbols) // np.uint64(2)
    addresses = np.unique(np.concatenate([places, places - np.uint64(1), symbols, symbols - np.uint64(1), middles]))
    for text in kernel_texts(real_orc, real_symbols):
        assert_consistent(text)
        here = addresses[(addresses >= text.start) & (addresses - np.uint64(text.start) < text.size)]
        assert len(here) > 10_000
        found = looked_up(text, here)
        expected = words[np.maximum(np.searchsorted(places, here, "right") - 1, 0)]
        for n, name in enumerate(("sp_offset", "bp_offset")):
            assert (found[name] == expected[:, n].astype(np.int16)).all()
        assert (found["sp_reg"] == expected[:, 2] % 16).all() and (found["bp_reg"] == expected[:, 2] // 16 % 16).all()
        samples = range(0, len(here), len(here) // 1000)
        assert all(found[n] == rule_at(real_orc, int(here[n])) for n in samples)


def test_a_kernel_whose_symbols_are_only_functions(real: Kernel, real_orc: Orc, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its sections say where the tables are."""
    monkeypatch.setattr(Symbols, "__init__", lambda self, kernel: None)
    monkeypatch.setattr(Symbols, "address", lambda self, name: None)
    found = Orc.of_kernel(real, Symbols(real))
    assert (found.addresses == real_orc.addresses).all() and (found.entries == real_orc.entries).all()


def test_what_a_real_kernel_says_of_some_places(real_orc: Orc, real_symbols: Symbols) -> None:
    def at(name: str) -> list[int]:
        address = real_symbols.address(name)
        assert address is not None
        rule = rule_at(real_orc, address)
        return [int(rule[field]) for field in ENTRY.names or ()]

    assert at("vfs_read") == [8, 0, Type.CALL, SP, 0, 0]
    assert at("asm_sysvec_apic_timer_interrupt")[2::3] == [Type.REGS_PARTIAL, 1]
    assert at("entry_SYSCALL_64")[2] in (Type.UNDEFINED, Type.END_OF_STACK)
    assert set(real_orc.entries["type"].tolist()) == set(Type) - {Type.GUESS}
