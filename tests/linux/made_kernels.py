# SPDX-License-Identifier: GPL-2.0-only
"""Small files with the form of a Linux kernel."""

from __future__ import annotations

import gzip
import lzma
import struct
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import lz4.block
import zstandard

from emu.linux import arch
from emu.linux.image import Kernel, read_kernel

__all__ = ["PACKED", "Symbol", "bzimage", "kallsyms", "kernel_with", "vmlinux"]

TEXT = arch.KERNEL_HALF + 0x100_0000
PHYSICAL = 0x100_0000
VERSION = "6.1.0-made (a test)"
HEADERS = 0x1000  # bytes before the first segment

Symbol = tuple[int, str, str]  # address, type, name


def vmlinux(data: bytes = b"\x90" * 64, *, machine: int = arch.ELF_MACHINE, bss: int = 0x20000) -> bytes:
    """An ELF file with one segment, at the beginning of which is its entry."""
    header = struct.pack("<16sHHIQQQIHHH", b"\x7fELF\2\1\1", 2, machine, 1, PHYSICAL, 64, 0, 0, 64, 56, 1).ljust(64, b"\0")
    segment = struct.pack("<IIQQQQQQ", 1, 5, HEADERS, TEXT, PHYSICAL, len(data), len(data) + bss, 0x1000)
    return (header + segment).ljust(HEADERS, b"\0") + data


def _sized(pack: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """The kernel's build appends the unpacked size."""
    return lambda data: pack(data) + struct.pack("<I", len(data))


def _lz4(data: bytes) -> bytes:
    blocks = [lz4.block.compress(data[at : at + (8 << 20)], store_size=False) for at in range(0, len(data), 8 << 20)]
    return b"\x02\x21\x4c\x18" + b"".join(struct.pack("<I", len(block)) + block for block in blocks)


PACKED: Mapping[str, Callable[[bytes], bytes]] = {
    "gzip": lambda data: gzip.compress(data, mtime=0),
    "xz": _sized(lambda data: lzma.compress(data, check=lzma.CHECK_CRC32)),
    "lz4": _sized(_lz4),
    "zstd": _sized(lambda data: zstandard.ZstdCompressor(write_checksum=True).compress(data)),
}


def bzimage(payload: bytes, *, flags: int = arch.XLF_KERNEL_64, protocol: int = 0x20F, version: str = VERSION) -> bytes:
    """One sector of setup code, then the payload."""
    setup = bytearray(1024)
    setup[0x1F1] = 1
    struct.pack_into("<HBB4sH", setup, 0x1FE, 0xAA55, 0xEB, 0x26C - 0x202, b"HdrS", protocol)
    struct.pack_into("<H", setup, 0x20E, 0x300 - 0x200)
    struct.pack_into("<H", setup, 0x236, flags)
    struct.pack_into("<II", setup, 0x248, 0, len(payload))
    setup[0x300 : 0x300 + len(version)] = version.encode()
    return bytes(setup) + payload


def _name(text: str) -> bytes:
    """Each character is a token of its own."""
    count = bytes([len(text)]) if len(text) < 128 else bytes([len(text) & 127 | 128, len(text) >> 7])
    return count + text.encode()


def kallsyms(symbols: Sequence[Symbol], layout: str, before: bytes) -> bytes:
    """The tables behind `before`, which begins at TEXT. Layouts: "6.1", "6.2", "6.4", "7.2"."""
    alignment = 4 if layout == "7.2" else 8
    out = bytearray(before)

    def put(data: bytes) -> None:
        out.extend(bytes(-len(out) % alignment) + data)

    def put_offsets() -> None:
        out.extend(bytes(-len(out) % alignment))
        if layout == "7.2":
            put(b"".join(struct.pack("<i", address - TEXT - len(out) - 4 * n) for n, (address, _, _) in enumerate(symbols)))
            return
        is_percpu = any(address < TEXT for address, _, _ in symbols)
        numbers = [(TEXT - 1 - a if is_percpu else a - TEXT) if a >= TEXT else a for a, _, _ in symbols]
        put(struct.pack(f"<{len(symbols)}i", *numbers))
        put(struct.pack("<Q", TEXT))

    names = [_name(kind + name) for _, kind, name in symbols]
    starts = [0]
    for name in names:
        starts.append(starts[-1] + len(name))
    sequence = b"".join(n.to_bytes(3, "big") for n in range(len(symbols)))
    tokens = [bytes([n]) if 32 < n < 127 else b"" for n in range(256)]
    token_starts = [0]
    for token in tokens:
        token_starts.append(token_starts[-1] + len(token) + 1)
    is_old = layout in ("6.1", "6.2")
    if is_old:
        put_offsets()
    put(struct.pack("<I", len(symbols)))
    put(b"".join(names))
    put(struct.pack(f"<{len(starts[:-1:256])}I", *starts[:-1:256]))
    if layout == "6.2":
        put(sequence)
    put(b"\0".join(tokens) + b"\0")
    put(struct.pack("<256H", *token_starts[:-1]))
    if not is_old:
        put_offsets()
        put(sequence)
    return bytes(out)


def kernel_with(data: bytes, folder: Path) -> Kernel:
    """A kernel whose only segment is `data`."""
    path = folder / "vmlinux"
    path.write_bytes(vmlinux(data))
    return read_kernel(path)
