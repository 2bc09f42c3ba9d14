# SPDX-License-Identifier: GPL-2.0-only
"""The table of blocks on disk, whatever its state; and blocks that cannot be decoded."""

from __future__ import annotations

import random
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from emu.cpu import arch
from emu.cpu.arch.x86_64.operations import Operations
from emu.cpu.arch.x86_64.zen3 import ZEN3
from emu.cpu.timing import BlockSummary, summaries
from emu.cpu.timing.summaries import Summaries
from emu.cpu.timing.summarise import Summariser
from emu.machine import Machine
from tests.cpu.bare import CODE, KERNEL, Bare
from tests.cpu.timing.blocks import BLOCKS

IMAGE = "an-image"
_ARRAYS = ("addresses", "sizes", "code", "offsets", "words")
_SUMMARISE = Summariser(ZEN3, Operations(ZEN3), arch.load("x86_64").timing()).summarise
_MANY = [(address + 0x100 * n, code) for address, code in BLOCKS for n in range(2)]  # enough to be worth writing


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(summaries, "cache_directory", lambda: tmp_path)
    return tmp_path


def new(summarise: Callable[[bytes, int], BlockSummary] = _SUMMARISE, name: str = "zen3") -> Summaries:
    return Summaries(summarise, name, [Summariser.__module__])


def written(cache: Path) -> Path:
    """Writes the table of some blocks."""
    table = new()
    for address, code in _MANY:
        table.offset(code, address)
    table.save(IMAGE)
    (path,) = cache.glob(f"summaries-*/{IMAGE}.blocks")
    return path


def contents(table: Summaries) -> list[bytes]:
    return [table.content(table.offset(code, address)) for address, code in _MANY]


@pytest.fixture(scope="module")
def expected() -> list[bytes]:
    return contents(new())


def check(expected: list[bytes], *, known: bool) -> None:
    """A process that finds the file has the same summaries, and prints nothing. `known`: whether it need not make them."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = new()
        table.load(IMAGE)
        assert contents(table) == expected
    assert table.made == (0 if known else len(_MANY))


def test_a_table_that_was_written_is_read(cache: Path, expected: list[bytes]) -> None:
    written(cache)
    check(expected, known=True)


def test_what_is_remembered_of_states_is_not_written(cache: Path, expected: list[bytes]) -> None:
    table = new()
    for address, code in _MANY:
        summary = table.summary(table.offset(code, address))
        summary.transition = summary.next = 12345
    table.save(IMAGE)
    read = new()
    read.load(IMAGE)
    for address, code in _MANY:
        assert read.summary(read.offset(code, address)).transition == 0
    assert contents(read) == expected


@pytest.mark.parametrize("what", ["nothing", "text", "half", "more", "folder", "arrays", "objects"])
def test_what_is_no_table_is_made_again(cache: Path, expected: list[bytes], what: str) -> None:
    path = written(cache)
    data = path.read_bytes()
    path.unlink()
    match what:
        case "nothing":
            path.write_bytes(b"")
        case "text":
            path.write_text("I am no table")
        case "half":
            path.write_bytes(data[: len(data) // 2])
        case "folder":
            path.mkdir()
        case "more":
            path.write_bytes(data + b"more")
        case "arrays":
            np.savez(path.open("wb"), **dict.fromkeys(_ARRAYS, np.zeros(3, np.uint64)))
        case "objects":
            np.savez(path.open("wb"), **dict.fromkeys(_ARRAYS, np.array([{}], object)))
    check(expected, known=False)
    if path.is_dir():
        return
    repaired = new()
    repaired.load(IMAGE)
    contents(repaired)
    repaired.save(IMAGE)
    check(expected, known=True)


def test_a_table_with_any_damage_does_no_harm(cache: Path, expected: list[bytes]) -> None:
    path, chance = written(cache), random.Random(19)
    data = path.read_bytes()
    places = [*range(64), *range(len(data) - 700, len(data)), *(chance.randrange(len(data)) for _ in range(100))]
    for place in chance.sample(places, 25):
        damaged = bytearray(data)
        damaged[place] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        check(expected, known=False)


def test_a_table_of_another_model_is_none(cache: Path, expected: list[bytes]) -> None:
    path = written(cache)
    other = new(lambda code, address: _SUMMARISE(b"\x90", address), "zen9")
    contents(other)
    other.save(IMAGE)
    (foreign,) = set(cache.glob(f"summaries-*/{IMAGE}.blocks")) - {path}
    shutil.copy(foreign, path)
    check(expected, known=False)


def test_a_folder_that_cannot_be_written_is_no_matter(cache: Path) -> None:
    path = written(cache)
    shutil.rmtree(path.parent)
    path.parent.write_text("no folder")
    table = new()
    contents(table)
    table.save(IMAGE)
    assert path.parent.read_text() == "no folder"


# Blocks that cannot be decoded


UNKNOWN = b"\x0f\x01\xe0"  # smsw eax: not in the tables


def test_a_block_that_cannot_be_decoded_costs_what_the_static_model_says() -> None:
    bare, named = Bare(timing="caches"), []
    assert bare.board.timing is not None
    bare.board.timing.undecoded = lambda address, code: named.append((address, code))
    bare.put(CODE + 0x800, "dec r12; jnz again; cli; hlt; again: jmp rbx")
    bare.bytes(CODE + 0x900, UNKNOWN + bytes.fromhex("ffe1"))  # jmp rcx
    bare.start(f"mov rbx, {KERNEL + CODE + 0x900:#x}; mov rcx, {KERNEL + CODE + 0x800:#x}; mov r12, 50; jmp rbx")
    assert bare.run()
    assert named == [(KERNEL + CODE + 0x900, UNKNOWN + bytes.fromhex("ffe1"))]
    assert bare.board.timing.counts(0)["static-blocks"] == 50


def test_a_machine_names_a_block_that_cannot_be_decoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with Machine(timing="pipeline", memory=32 << 20) as machine:
        timing = machine.board.timing
        assert timing is not None
        for _ in range(2):
            timing.block(UNKNOWN, 0x1234000)
        (warning,) = machine.warnings
        assert warning == "the block at 0x1234000 (0f 01 e0) is not known to zen3, and costs what the static model says"
