# SPDX-License-Identifier: GPL-2.0-only
"""The file of a machine: what is put back is what was saved, and no damaged file does more than raise BadMachine.

The machines here are small ones without a kernel; test_kept.py has those with one.
"""

from __future__ import annotations

import errno
import json
import os
import random
import resource
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

from emu.cpu.board import Board
from emu.cpu.pc import PC_ARCH, Pc
from emu.cpu.pc.state import PAGE, capture
from emu.linux import saved
from emu.linux.saved import BadMachine

MEMORY = 16 << 20
EXTRA = {"name": "a machine", "number": 5}


def board(cpus: int = 1, memory: int = MEMORY, seed: int = 0) -> Pc:
    return Pc(Board(PC_ARCH, cpus, memory, 20_000, seed, 1_000_000_000))


@pytest.fixture
def small() -> Iterator[Pc]:
    """A PC with some pages that are not zeros, the first and the last among them, and with bytes that wait in a port."""
    pc = board()
    made = random.Random(5)
    for page in (0, 1, 700, 720, 2000, MEMORY // PAGE - 1):
        pc.board.ram[page * PAGE : (page + 1) * PAGE] = made.randbytes(PAGE)
    pc.board.cpus[0].record.cycles = 123_456_789_012_345
    pc.serial[1].give(b"waiting")
    yield pc
    pc.board.close()


@pytest.fixture
def path(small: Pc, tmp_path: Path) -> Path:
    """Its file."""
    path = tmp_path / "a.machine"
    saved.write(path, small, EXTRA)
    return path


def problem(path: Path) -> str:
    """What is said of a file, without its name."""
    with pytest.raises(BadMachine) as error:
        saved.read(path)
    text = str(error.value)
    assert text.startswith(f"{path}: ") and len(text.splitlines()) == 1
    return text.removeprefix(f"{path}: ")


DAMAGED = "the machine's file is damaged"


# Round trips


def test_what_is_put_back_is_what_was_saved(small: Pc, path: Path) -> None:
    found = saved.read(path)
    assert (found.extra, found.memory) == (EXTRA, MEMORY)
    other = board(seed=9)
    saved.restore(other, found)
    assert other.board.ram == small.board.ram
    assert capture(other) == capture(small)
    assert other.board.cpus[0].cycles == 123_456_789_012_345 and other.serial[1].waiting == b"waiting"
    other.board.close()


def test_the_file_stays_as_it_is_when_the_machine_goes_on(path: Path) -> None:
    before = path.read_bytes()
    other = board()
    saved.restore(other, saved.read(path))
    other.board.ram[:PAGE] = bytes(PAGE)
    path.unlink()  # the machine keeps what it has mapped
    assert bytes(other.board.ram[PAGE : 2 * PAGE]) in before
    other.board.close()


def test_the_same_machine_has_the_same_file(small: Pc, path: Path, tmp_path: Path) -> None:
    saved.write(tmp_path / "b.machine", small, EXTRA)
    assert (tmp_path / "b.machine").read_bytes() == path.read_bytes()
    other = board()
    saved.restore(other, saved.read(path))
    saved.write(tmp_path / "c.machine", other, EXTRA)
    assert (tmp_path / "c.machine").read_bytes() == path.read_bytes()
    other.board.close()


def test_zeros_take_no_room(path: Path, tmp_path: Path) -> None:
    assert path.stat().st_size < 50 * PAGE
    empty = board()
    empty.board.ram[:] = bytes(MEMORY)
    saved.write(tmp_path / "empty", empty, {})
    assert saved.read(tmp_path / "empty").runs == []
    other = board()
    other.board.ram[:] = bytes(MEMORY)
    saved.restore(other, saved.read(tmp_path / "empty"))
    assert not any(other.board.ram)


@pytest.mark.parametrize(("cpus", "memory"), [(2, MEMORY), (1, 2 * MEMORY), (1, MEMORY // 2)])
def test_a_board_with_other_parameters(path: Path, cpus: int, memory: int) -> None:
    other = board(cpus, memory)
    before = bytes(other.board.ram)
    with pytest.raises(BadMachine, match=r"a\.machine: the machine has 1 CPUs and 16777216 bytes of memory"):
        saved.restore(other, saved.read(path))
    assert bytes(other.board.ram) == before
    other.board.close()


# Damaged files


def test_truncated_files(path: Path) -> None:
    data = path.read_bytes()
    for size in [*range(64), *range(64, len(data), 997), len(data) - 1]:
        path.write_bytes(data[:size])
        assert problem(path) in (DAMAGED, "this is no machine of emu")
    path.write_bytes(data + b"\0")
    assert problem(path) == DAMAGED


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.long("it tries ten thousand files"))])
def test_files_with_some_wrong_bytes(path: Path, count: int) -> None:
    data, made = path.read_bytes(), random.Random(count)
    good = saved.read(path)
    header = good.start - len(data[: good.start].rstrip(b"\0"))
    refused = 0
    for _ in range(count):
        damaged = bytearray(data)
        for _ in range(made.choice((1, 1, 1, 2, 8))):
            place = made.choice((made.randrange(64), made.randrange(len(data))))
            damaged[place] = made.choice((damaged[place] ^ 1 << made.randrange(8), made.randrange(256), 0, 255))
        if made.random() < 0.1:
            start, size = made.randrange(len(data)), made.randrange(1, 3000)
            del damaged[start : start + size]
        path.write_bytes(damaged)
        try:
            found = saved.read(path)
        except BadMachine as error:
            assert str(error).startswith(f"{path}: ") and len(str(error).splitlines()) == 1
            refused += 1
        else:  # nothing has changed but the zeros before the pages
            assert found == good and damaged[good.start :] == data[good.start :] and header < PAGE
    assert refused > count * 0.8


def rewritten(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Gives a file another header, whose checksum is right."""
    data = path.read_bytes()
    length = int.from_bytes(data[16:20], "little")
    header = json.loads(data[24 : 24 + length])
    changed = change(header)
    text = json.dumps(header if changed is None else changed, separators=(",", ":")).encode()
    head = data[:16] + len(text).to_bytes(4, "little") + zlib.crc32(text).to_bytes(4, "little") + text
    path.write_bytes(head + bytes(-len(head) % PAGE) + data[-(-(24 + length) // PAGE) * PAGE :])


def test_a_header_that_is_written_anew(path: Path) -> None:
    """What the tests below change is all that they change."""
    data = path.read_bytes()
    rewritten(path, lambda header: None)
    assert path.read_bytes() == data


@pytest.mark.parametrize(
    "change",
    [
        lambda header: [1], lambda header: 5, lambda header: {}, lambda header: header.pop("build"),
        lambda header: header.update(build=[]), lambda header: header.update(build=7), lambda header: header.pop("runs") and None,
        lambda header: header.update(runs=5), lambda header: header.update(runs=[[1]]), lambda header: header.update(extra=5),
        lambda header: header.update(memory="x"), lambda header: header.update(state={}), lambda header: header.update(state=[]),
        lambda header: header["state"].update(more=1), lambda header: header["state"].update(registers=["x"]),
        lambda header: header["state"].update(registers=[5]), lambda header: header["state"].pop("cpus") and None,
    ],
)  # fmt: skip
def test_headers_that_make_no_sense(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    rewritten(path, change)
    assert problem(path) == DAMAGED


@pytest.mark.parametrize("first", [-1, 1 << 40, MEMORY // PAGE, 3000, 2000])
def test_pages_that_are_not_in_ram(path: Path, first: int) -> None:
    """Mapping them would overwrite something else. They are checked before the checksum is of any interest."""

    def change(header: dict[str, Any]) -> None:
        header["runs"][0][0] = first

    rewritten(path, change)
    assert problem(path) == DAMAGED


def test_another_build(path: Path) -> None:
    emu, unicorn = saved.build()["emu"], saved.build()["unicorn"]
    rewritten(path, lambda header: header["build"].update(emu="0123"))
    assert problem(path) == f"another build has saved it: emu 0123, not {emu}"
    rewritten(path, lambda header: header["build"].update(unicorn="1.0"))
    assert problem(path) == f"another build has saved it: emu 0123, not {emu}, unicorn 1.0, not {unicorn}"
    rewritten(path, lambda header: header.update(build={"emu": emu}))
    assert problem(path) == f"another build has saved it: unicorn None, not {unicorn}"


def test_another_format(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[12] = 99
    path.write_bytes(data)
    assert problem(path) == "its format is 99, that of this emu is 2"


def test_what_is_no_machine(tmp_path: Path) -> None:
    path = tmp_path / "text"
    for data in (b"", b"x", b"emu machine", b"x" * 100_000):
        path.write_bytes(data)
        assert problem(path) == "this is no machine of emu"
    with pytest.raises(FileNotFoundError):
        saved.read(tmp_path / "none")
    with pytest.raises(IsADirectoryError):
        saved.read(tmp_path)


# Files that cannot be written


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("size", [0, 1000, 30_000, 45_000])
def test_a_file_that_becomes_too_large(small: Pc, path: Path, tmp_path: Path, size: int) -> None:
    before = path.read_bytes()
    assert size < len(before)
    small.board.ram[:4] = b"else"
    with files_of_at_most(size), pytest.raises(OSError) as error:
        saved.write(path, small, EXTRA)
    assert error.value.errno == errno.EFBIG
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def test_a_disk_that_is_full(small: Pc, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path.read_bytes()
    open_file = Path.open

    class Full:
        """A file for which there is room for its beginning."""

        def __init__(self, file: IO[bytes]) -> None:
            self.file, self.left = file, 3

        def __enter__(self) -> Full:
            return self

        def __exit__(self, *_: object) -> None:
            self.file.close()

        def write(self, data: bytes) -> None:
            self.left -= 1
            if not self.left:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self.file.write(data)

    monkeypatch.setattr(Path, "open", lambda self, mode: Full(open_file(self, "wb")))
    with pytest.raises(OSError, match="No space left on device"):
        saved.write(path, small, EXTRA)
    monkeypatch.undo()
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def test_an_interrupt_while_it_is_written(small: Pc, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: Path, target: Path) -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        saved.write(path, small, EXTRA)
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_missing_or_closed(small: Pc, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        saved.write(tmp_path / "none" / "a.machine", small, EXTRA)
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        saved.write(tmp_path / "folder", small, EXTRA)
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]
