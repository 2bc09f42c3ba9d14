# SPDX-License-Identifier: GPL-2.0-only
"""A kernel is read out of each kind of file, and no file does more than raise the error that is meant for it."""

from __future__ import annotations

import hashlib
import os
import random
import resource
import struct
from pathlib import Path

import pytest

from emu.linux import arch
from emu.linux.image import BadKernel, read_kernel, read_version
from tests.linux.made_kernels import HEADERS, PACKED, PHYSICAL, TEXT, bzimage, vmlinux

pytestmark = pytest.mark.usefixtures("cache", "boot")

DATA = random.Random(1).randbytes(300) + bytes(2000)
ELF = vmlinux(DATA)


def problem(path: Path, data: bytes) -> str:
    """What is said of a file with this contents, without its name."""
    path.write_bytes(data)
    with pytest.raises(BadKernel) as error:
        read_kernel(path)
    text = str(error.value)
    assert text.startswith(f"{path}: ") and len(text.splitlines()) == 1
    return text.removeprefix(f"{path}: ")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "vmlinuz"


@pytest.mark.parametrize("method", PACKED)
def test_a_bzimage_is_unpacked(method: str, path: Path) -> None:
    data = bzimage(PACKED[method](ELF))
    path.write_bytes(data)
    kernel = read_kernel(path)
    assert (kernel.path, kernel.digest) == (path, hashlib.sha256(data).hexdigest())
    assert (kernel.vmlinux, kernel.entry, kernel.version) == (ELF, PHYSICAL, "6.1.0-made (a test)")
    assert kernel.setup_header == data[0x1F1:0x26C]
    (segment,) = kernel.segments
    assert (segment.physical, segment.virtual, segment.memory_size) == (PHYSICAL, TEXT, len(DATA) + 0x20000)
    assert segment.data == DATA == kernel.vmlinux[segment.offset :][: len(DATA)]
    assert read_version(path) == kernel.version


def test_a_payload_of_more_than_one_block(path: Path) -> None:
    elf = vmlinux(bytes(9 << 20))
    path.write_bytes(bzimage(PACKED["lz4"](elf)))
    assert read_kernel(path).vmlinux == elf


def test_a_vmlinux_gets_a_setup_header(path: Path) -> None:
    path.write_bytes(ELF)
    kernel = read_kernel(path)
    header = bytes(0x1F1) + kernel.setup_header
    assert struct.unpack_from("<H", header, 0x1FE) == (0xAA55,)
    assert struct.unpack_from("<4sH", header, 0x202) == (b"HdrS", 0x20F)
    assert (header[0x211], len(header)) == (arch.LOADED_HIGH, 0x202 + header[0x201])
    assert (kernel.entry, kernel.version, read_version(path)) == (PHYSICAL, "", "")


def test_an_unpacked_kernel_is_kept(path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_bytes(bzimage(PACKED["xz"](ELF)))
    first = read_kernel(path)
    (kept,) = (cache / "linux" / "vmlinux").iterdir()
    whole = kept.read_bytes()
    assert (kept.name, whole[: len(ELF)]) == (first.digest, ELF)
    with monkeypatch.context() as patch:
        patch.setattr("emu.linux.image.unpack", None)
        assert read_kernel(path).vmlinux == ELF
    damaged = bytearray(whole)
    damaged[5000] ^= 1
    for wrong in (b"", whole[:-1], whole[:100], bytes(damaged), whole + b"x"):
        kept.write_bytes(wrong)
        assert read_kernel(path).vmlinux == ELF
        assert kept.read_bytes() == whole


def test_a_cache_that_cannot_be_written_is_no_error(path: Path, cache: Path) -> None:
    cache.write_text("no folder")
    path.write_bytes(bzimage(PACKED["zstd"](ELF)))
    assert read_kernel(path).vmlinux == ELF


def test_what_is_no_kernel_is_said(path: Path) -> None:
    packed = PACKED["xz"](ELF)
    image = bzimage(packed)
    assert problem(path, b"") == "not a kernel: an empty file"
    assert problem(path, b"#!/bin/sh\n" * 1000) == "not a kernel: neither a bzImage nor an ELF file"
    assert problem(path, bytes(56) + b"ARM\x64" + bytes(999)) == f"a kernel for arm64, not for {arch.NAME}"
    assert problem(path, vmlinux(machine=183)) == f"for AARCH64, not for {arch.NAME}"
    assert problem(path, vmlinux(machine=9999)) == f"for ELF machine 9999, not for {arch.NAME}"
    assert problem(path, ELF[:4] + b"\1" + ELF[5:]) == f"a 32-bit ELF file, not a kernel for {arch.NAME}"
    assert problem(path, Path("/bin/true").read_bytes()).startswith(("not a kernel: ", "for "))
    assert problem(path, bzimage(packed, flags=0)) == f"a 32-bit kernel, not one for {arch.NAME}"
    assert problem(path, bzimage(packed, protocol=0x20B)).startswith("its boot protocol 2.11 is older than 2.12")
    assert problem(path, image[:0x250]) == "truncated: its setup header is incomplete"
    assert problem(path, image[:-1]).startswith("truncated: its payload ends at byte ")
    assert problem(path, ELF[:-1]).startswith("truncated: a segment ends at byte ")
    assert problem(path, ELF[:70]) == "truncated: its ELF program headers are incomplete"
    for magic, name in ((b"BZh91AY", "bzip2"), (b"\x5d\0\0\0\4", "lzma"), (b"\x89LZO\0", "lzo")):
        assert problem(path, bzimage(magic + bytes(99))).startswith(f"the payload is compressed by {name}; gzip, xz")
    assert problem(path, bzimage(b"whatever")).startswith("the payload's compression is unknown (it begins with 77 68 61")
    assert problem(path, bzimage(PACKED["gzip"](b"no ELF file"))).startswith("the payload is damaged")


@pytest.mark.parametrize("method", PACKED)
def test_a_damaged_payload_is_noticed(method: str, path: Path) -> None:
    packed = PACKED[method](ELF)
    assert problem(path, bzimage(packed[:-40] + packed[-4:])).startswith("the payload is damaged (")
    assert problem(path, bzimage(packed[:-4] + struct.pack("<I", len(ELF) + 1))).startswith("the payload is damaged (")
    assert problem(path, bzimage(packed[:-4] + b"\xff" * 4)).startswith("the payload is damaged (it would unpack to 4,2")


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path / "fifo", Path("/dev/zero")):
        with pytest.raises(BadKernel, match="not a kernel: no regular file"):
            read_kernel(path)
    for path in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(OSError):
            read_kernel(path)


def test_segments_are_where_a_kernel_can_be(path: Path) -> None:
    for place, value in ((64 + 24, 1 << 30), (64 + 40, 1 << 40), (64 + 24, 1 << 63), (64 + 40, 0), (24, 0), (64 + 16, 0x400000)):
        data = bytearray(ELF)
        struct.pack_into("<Q", data, place, value)
        assert problem(path, bytes(data)).startswith(("damaged: ", "not a kernel: no segment"))


@pytest.mark.parametrize("method", PACKED)
def test_damaged_files_raise_nothing_else(method: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """2,500 files for each compression, and 100 that end too early; none makes the process larger by much."""
    monkeypatch.setattr("emu.linux.kept.cache_directory", lambda: None)
    good = bzimage(PACKED[method](vmlinux(DATA[:600])))
    chance = random.Random(method)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcomes: set[int | str] = set()
    interesting = [*range(0x1F1, 0x26C), *range(1024, len(good))]
    with path.open("wb", buffering=0) as file:
        for n in range(2600):
            data = bytearray(good)
            if n >= 2500:
                del data[chance.randrange(len(good)) :]
            else:
                for _ in range(chance.choice((1, 1, 2, 8))):
                    data[chance.choice(interesting)] = chance.choice((0, 0x7F, 0x80, 0xFF, chance.randrange(256)))
            os.pwrite(file.fileno(), data, 0)
            os.truncate(file.fileno(), len(data))  # making a new file each time would take ten times as long
            try:
                outcomes.add(read_kernel(path).entry)
            except BadKernel as error:
                assert len(str(error).splitlines()) == 1
                outcomes.add(str(error).removeprefix(f"{path}: ").split(" ", 1)[0])
    assert {PHYSICAL, "the", "truncated:", "a", "not"} <= outcomes
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 << 10


def test_sections_and_contents(path: Path) -> None:
    names = b"\0.first\0.second\0.bss\0.names\0"
    data = b"0123456789" + names
    sections = ((0, 0, 0, 0), (1, 1, 0, 4), (8, 1, 4, 6), (16, 8, 0, 100), (21, 3, 10, len(names)))  # name, kind, place, size
    made = bytearray(vmlinux(data))
    struct.pack_into("<Q", made, 0x28, len(made))
    struct.pack_into("<HH", made, 0x3C, len(sections), 4)
    for name, kind, at, size in sections:
        made += struct.pack("<IIQQQQIIQQ", name, kind, 0, 0, HEADERS + at, size, 0, 0, 0, 0)
    path.write_bytes(made)
    kernel = read_kernel(path)
    found = [kernel.section(name) for name in (".first", ".second", "", ".third", ".bss", "first")]
    assert [None if data is None else bytes(data) for data in found] == [b"0123", b"456789", b"", None, None, None]
    assert bytes(kernel.contents(TEXT + 2, TEXT + 5)) == b"234"
    for begin, end in ((TEXT - 1, TEXT + 1), (TEXT + len(data), TEXT + len(data) + 1), (TEXT + 2, TEXT + 1), (0, 1)):
        with pytest.raises(LookupError, match="has nothing at"):
            kernel.contents(begin, end)
    struct.pack_into("<Q", made, 0x28, len(made))
    path.write_bytes(made)
    assert read_kernel(path).section(".first") is None
