# SPDX-License-Identifier: GPL-2.0-only
"""Kallsyms are read in each layout that Linux has had; and those of a kernel that is here are what its System.map says."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path

import pytest

from emu.linux.image import Kernel
from emu.linux.symbols import NoSymbols, Symbols
from tests.linux.made_kernels import HEADERS, TEXT, Symbol, kallsyms, kernel_with

pytestmark = pytest.mark.usefixtures("cache", "boot")

LAYOUTS = ("6.1", "6.2", "6.4", "7.2")


def some_symbols() -> list[Symbol]:
    """A thousand, in which two have one address, two have one name, and names are short and long."""
    long = "a_name_of_" + "many_" * 40 + "words"
    text = [(TEXT + 0x40 * n, "t" if n % 3 else "T", f"function_{n}") for n in range(1000)]
    text[0] = (TEXT, "T", "_text")
    text[10] = (text[9][0], "W", "alias_of_9")
    text[20] = (text[20][0], "t", "function_19")
    text[30] = (text[30][0], "t", long)
    end = text[-1][0] + 0x40
    return [*text, (end, "T", "_etext"), (end + 0x100, "D", "variable"), (end + 0x200, "B", "_end")]


def percpu() -> list[Symbol]:
    return [(0, "D", "fixed_percpu_data"), (0x1000, "d", "current_task")]


def made(symbols: list[Symbol], layout: str, folder: Path) -> Kernel:
    before = random.Random(layout).randbytes(5000) + b"".join(b"%d\0" % n for n in range(300))
    return kernel_with(kallsyms(symbols, layout, before), folder)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("has_percpu", [False, True])
def test_all_symbols_are_there(layout: str, has_percpu: bool, tmp_path: Path) -> None:
    expected = [*(percpu() if has_percpu and layout != "7.2" else []), *some_symbols()]
    symbols = Symbols(made(expected, layout, tmp_path))
    found = zip(symbols.addresses.tolist(), map(chr, symbols.types.tolist()), symbols.names, strict=True)
    assert list(found) == expected


@pytest.mark.parametrize("count", [257, 512, 513, 700])
def test_any_number_of_symbols(count: int, tmp_path: Path) -> None:
    for layout in LAYOUTS:
        expected = some_symbols()[:count]
        assert list(Symbols(made(expected, layout, tmp_path)).names) == [name for _, _, name in expected]


def test_addresses_and_names(tmp_path: Path) -> None:
    symbols = Symbols(made([*percpu(), *some_symbols()], "6.1", tmp_path))
    assert (symbols.address("_text"), symbols.address("_end")) == (TEXT, TEXT + 0x40 * 1000 + 0x200)
    assert (symbols.address("current_task"), symbols.address("fixed_percpu_data")) == (0x1000, 0)
    assert symbols.address("function_19") == TEXT + 0x40 * 19  # the first of that name
    assert [symbols.address(name) for name in ("function_", "unction_1", "", "no\0name", "ä")] == [None] * 5
    assert symbols.at(TEXT + 0x40 * 5 + 3) == ("function_5", 3)
    assert symbols.lookup(TEXT + 0x40 * 5 + 0x3F) == "function_5+0x3f/0x40"
    assert symbols.lookup(TEXT + 0x40 * 9) == "function_9+0x0/0x80"  # the first at that address
    variable = symbols.address("variable")
    assert variable is not None
    for address in (0, 0x1004, TEXT - 1, TEXT + 0x40 * 1000, variable, variable + 0x100, 1 << 64, -1):
        assert (symbols.at(address), symbols.lookup(address)) == (None, f"{address:#x}")


def test_a_kernel_without_kallsyms(tmp_path: Path) -> None:
    for data in (b"\x90" * 5000, b"".join(b"%d\0" % n for n in range(300)), kallsyms(some_symbols(), "6.4", b"")[:-8000]):
        with pytest.raises(NoSymbols, match=r"^\S+: the kernel has no symbols \(CONFIG_KALLSYMS\)$"):
            Symbols(kernel_with(data, tmp_path))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_damaged_table_raises_nothing_else(layout: str, tmp_path: Path) -> None:
    good = made(some_symbols()[:300], layout, tmp_path)
    chance = random.Random(layout)
    read = 0
    for _ in range(30):
        data = bytearray(good.vmlinux)
        for _ in range(chance.choice((1, 8))):
            data[chance.randrange(HEADERS + 6000, len(data))] = chance.choice((0, 0x7F, 0xFF, chance.randrange(256)))
        try:
            symbols = Symbols(dataclasses.replace(good, vmlinux=bytes(data)))
            assert len(symbols.names) == len(symbols.addresses) == 300
            read += 1
        except NoSymbols:
            pass
    assert 0 < read < 30


def test_a_real_kernel(real_symbols: Symbols) -> None:
    addresses = real_symbols.addresses.tolist()
    assert (sorted(addresses), len(real_symbols.names)) == (addresses, len(addresses))
    for name in ("_text", "vfs_read", "start_kernel", "init_task", "_end"):
        address = real_symbols.address(name)
        assert address is not None and addresses[real_symbols.names.index(name)] == address
    read = real_symbols.address("vfs_read")
    assert read is not None and real_symbols.at(read + 4) == ("vfs_read", 4)
