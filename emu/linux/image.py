# SPDX-License-Identifier: GPL-2.0-only
"""A Linux kernel's image: a bzImage, as distributions have it in /boot, or the vmlinux that is inside.

The kernel is started by the 64-bit boot protocol (boot.rst of its documentation), at the entry of vmlinux. So nothing of a
bzImage is executed: its payload is unpacked here, and its setup header becomes a part of boot_params.
"""

from __future__ import annotations

import hashlib
import os
import stat
import struct
from dataclasses import dataclass, field
from pathlib import Path

from elftools.elf.enums import ENUM_E_MACHINE

from emu.linux import arch
from emu.linux.kept import keep, kept
from emu.linux.payload import BadPayload, unpack

__all__ = ["BadKernel", "Kernel", "Segment", "read_kernel", "read_version"]

_MOST_FILE = 2 << 30  # A vmlinux with DWARF is ten times as large as the kernel.
_ELF = b"\x7fELF"

# boot.rst, "The Real-Mode Kernel Header": offsets in the file, and in boot_params.
_SETUP_SECTS = 0x1F1
_BOOT_FLAG, _JUMP, _MAGIC, _VERSION = 0x1FE, 0x200, 0x202, 0x206
_KERNEL_VERSION = 0x20E
_LOADFLAGS = 0x211
_XLOADFLAGS = 0x236
_PAYLOAD = 0x248  # offset, length
_END, _MOST_END = 0x26C, 0x290  # of protocol 2.15; where boot_params has its next field
_SECTOR = 512
_OLDEST = 0x20C  # protocol 2.12, of Linux 3.8, has xloadflags
_HEAD = 0x10000 + 0x200 + 256  # where the version's text ends at the latest

_PT_LOAD = 1
_ELF_HEADER = struct.Struct("<16sHHIQQQIHHH")
_PROGRAM_HEADER = struct.Struct("<IIQQQQQQ")
_SECTION_HEADERS = slice(0x28, 0x40)  # in the ELF header: where they are, how many, which one is for names
_SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
_SHT_NOBITS = 8
_CLASS_64_LITTLE = bytes([2, 1])  # EI_CLASS, EI_DATA
_NEITHER = "not a kernel: neither a bzImage nor an ELF file"
# The images of these architectures have their magic numbers here (Documentation/arch/*/boot*.rst).
_OTHER_MAGIC = 56
_OTHERS = {b"ARM\x64": "arm64", b"RSC\x05": "riscv"}


class BadKernel(ValueError):
    """A file is no kernel that can be booted. The message is one line, and names the file."""


@dataclass(frozen=True)
class Segment:
    """A part of vmlinux that is loaded. What `memory_size` has more than `data` is zero.

    Attributes:
        physical, virtual: its addresses.
        offset: the place of `data` in vmlinux.
    """

    physical: int
    virtual: int
    offset: int
    data: memoryview = field(repr=False)
    memory_size: int


@dataclass(frozen=True, eq=False)
class Kernel:
    """A kernel that can be booted.

    Attributes:
        path: of the file.
        digest: sha256 of the file, in hexadecimal digits.
        setup_header: what boot_params has from offset 0x1f1 on.
        vmlinux: the ELF file.
        segments: what is loaded into RAM.
        entry: the physical address of the 64-bit entry.
        version: "6.12.85+deb13-cloud (...) #1 SMP ..."; "" if the file does not say it.
    """

    path: Path
    digest: str
    setup_header: bytes = field(repr=False)
    vmlinux: bytes = field(repr=False)
    segments: tuple[Segment, ...]
    entry: int
    version: str

    def section(self, name: str) -> memoryview | None:
        """The contents of a section of vmlinux; None if there is none of this name."""
        offset, count, names = struct.unpack("<Q12xHH", self.vmlinux[_SECTION_HEADERS].ljust(24, b"\0"))
        end = offset + count * _SECTION_HEADER.size
        if names >= count or end > len(self.vmlinux):
            return None
        headers = list(_SECTION_HEADER.iter_unpack(memoryview(self.vmlinux)[offset:end]))
        texts = headers[names][4]
        for text, kind, _, _, start, size, *_ in headers:
            if kind != _SHT_NOBITS and self.vmlinux.startswith(name.encode() + b"\0", texts + text):
                return memoryview(self.vmlinux)[start : start + size]
        return None

    def contents(self, begin: int, end: int) -> memoryview:
        """What vmlinux has at virtual addresses.

        Raises:
            LookupError: it has nothing there, or only zeros.
        """
        for segment in self.segments:
            if segment.virtual <= begin <= end <= segment.virtual + len(segment.data):
                return segment.data[begin - segment.virtual : end - segment.virtual]
        raise LookupError(f"{self.path} has nothing at {begin:#x} to {end:#x}")


def read_kernel(path: Path) -> Kernel:
    """The kernel in a bzImage or a vmlinux.

    Raises:
        BadKernel: the file is no kernel for this machine, or is damaged.
        OSError: the file cannot be read.
    """
    data = _contents(path, _MOST_FILE)
    digest = hashlib.sha256(data).hexdigest()
    try:
        if data.startswith(_ELF):
            return Kernel(path, digest, _made_header(), data, *_loaded(data), version="")
        _check_header(data)
        header = data[_SETUP_SECTS : min(_MAGIC + data[_JUMP + 1], _MOST_END)]
        vmlinux = kept(digest)
        if vmlinux is not None:
            return Kernel(path, digest, header, vmlinux, *_loaded(vmlinux), _version(data))
        vmlinux = unpack(_payload(data))
        if not vmlinux.startswith(_ELF):
            raise BadKernel("the payload is damaged (it contains no ELF file)")
        kernel = Kernel(path, digest, header, vmlinux, *_loaded(vmlinux), _version(data))
    except (BadKernel, BadPayload) as error:
        raise BadKernel(f"{path}: {error}") from None
    keep(digest, vmlinux)
    return kernel


def read_version(path: Path) -> str:
    """The version of a kernel, as in `Kernel.version`. Only the beginning of the file is read and checked.

    Raises:
        As read_kernel.
    """
    data = _contents(path, _HEAD)
    try:
        if data.startswith(_ELF):
            _check_elf(data)
            return ""
        _check_header(data)
        return _version(data)
    except BadKernel as error:
        raise BadKernel(f"{path}: {error}") from None


def _contents(path: Path, most: int) -> bytes:
    """The beginning of a file. What may be endless, or may wait for ever, is not opened."""
    if not stat.S_ISREG(mode := path.stat().st_mode) and not stat.S_ISDIR(mode):
        raise BadKernel(f"{path}: not a kernel: no regular file")
    with path.open("rb") as file:
        data = file.read(_HEAD)
        if most > _HEAD and (data.startswith(_ELF) or data[_MAGIC : _MAGIC + 4] == b"HdrS"):
            if os.fstat(file.fileno()).st_size > most:
                raise BadKernel(f"{path}: not a kernel: it has more than {most:,} bytes")
            data += file.read(most)
        return data


def _check_header(data: bytes) -> None:
    """Raises BadKernel: the data does not begin as a bzImage for this architecture does."""
    if other := _OTHERS.get(data[_OTHER_MAGIC : _OTHER_MAGIC + 4]):
        raise BadKernel(f"a kernel for {other}, not for {arch.NAME}")
    if data[_MAGIC : _MAGIC + 4] != b"HdrS" or data[_BOOT_FLAG : _BOOT_FLAG + 2] != b"\x55\xaa":
        raise BadKernel(_NEITHER if data else "not a kernel: an empty file")
    if len(data) < _END:
        raise BadKernel("truncated: its setup header is incomplete")
    (version,) = struct.unpack_from("<H", data, _VERSION)
    if version < _OLDEST:
        raise BadKernel(f"its boot protocol {version >> 8}.{version & 0xFF} is older than 2.12: it says of no 64-bit kernel")
    (flags,) = struct.unpack_from("<H", data, _XLOADFLAGS)
    if not flags & arch.XLF_KERNEL_64:
        raise BadKernel(f"a 32-bit kernel, not one for {arch.NAME}")


def _version(data: bytes) -> str:
    (offset,) = struct.unpack_from("<H", data, _KERNEL_VERSION)
    text = data[offset + 0x200 : offset + 0x300] if offset else b""
    printable = text.split(b"\0", 1)[0].decode("ascii", "replace")
    return "".join(character for character in printable if character.isprintable())


def _payload(data: bytes) -> memoryview:
    sectors = data[_SETUP_SECTS] or 4  # boot.rst: "if the setup_sects field contains 0, the real value is 4"
    offset, length = struct.unpack_from("<II", data, _PAYLOAD)
    start = (sectors + 1) * _SECTOR + offset
    if start + length > len(data):
        raise BadKernel(f"truncated: its payload ends at byte {start + length:,}, the file at {len(data):,}")
    return memoryview(data)[start : start + length]


def _made_header() -> bytes:
    """The setup header for a vmlinux, which has none."""
    header = bytearray(_END)
    struct.pack_into("<H", header, _BOOT_FLAG, 0xAA55)
    struct.pack_into("<H", header, _JUMP, 0xEB | (_END - _MAGIC) << 8)  # as in a bzImage: a jump, which tells the length
    struct.pack_into("<4sH", header, _MAGIC, b"HdrS", 0x20F)
    header[_LOADFLAGS] = arch.LOADED_HIGH
    struct.pack_into("<H", header, _XLOADFLAGS, arch.XLF_KERNEL_64)
    return bytes(header[_SETUP_SECTS:])


def _check_elf(data: bytes) -> None:
    """Raises BadKernel: the ELF file is for another architecture."""
    if len(data) < _ELF_HEADER.size:
        raise BadKernel("truncated: its ELF header is incomplete")
    little = data[5] != 2
    machine = int.from_bytes(data[18:20], "little" if little else "big")
    if machine != arch.ELF_MACHINE:
        raise BadKernel(f"for {_machine_name(machine)}, not for {arch.NAME}")
    if data[4:6] != _CLASS_64_LITTLE:
        raise BadKernel(f"a 32-bit ELF file, not a kernel for {arch.NAME}")


def _machine_name(machine: int) -> str:
    name = next((name for name, number in ENUM_E_MACHINE.items() if number == machine), f"ELF machine {machine}")
    return str(name).removeprefix("EM_")


def _loaded(data: bytes) -> tuple[tuple[Segment, ...], int]:
    """The segments of a vmlinux, and the physical address of its entry."""
    _check_elf(data)
    _, _, _, _, entry, offset, _, _, _, size, count = _ELF_HEADER.unpack_from(data)
    if size != _PROGRAM_HEADER.size or offset + size * count > len(data):
        raise BadKernel("truncated: its ELF program headers are incomplete")
    segments = []
    for kind, _, start, virtual, physical, length, memory, _ in _PROGRAM_HEADER.iter_unpack(data[offset : offset + size * count]):
        if kind == _PT_LOAD:
            if start + length > len(data):
                raise BadKernel(f"truncated: a segment ends at byte {start + length:,}, vmlinux at {len(data):,}")
            if length > memory or physical + memory > arch.MOST_MEMORY:
                raise BadKernel(f"damaged: a segment of {length:,} bytes would need {memory:,} at {physical:#x}")
            segments.append(Segment(physical, virtual, start, memoryview(data)[start : start + length], memory))
    if not any(segment.virtual >= arch.KERNEL_HALF for segment in segments):
        raise BadKernel("not a kernel: no segment is at a kernel's addresses")
    if sum(segment.memory_size for segment in segments) > arch.MOST_MEMORY:
        raise BadKernel(f"damaged: its segments need more than {arch.MOST_MEMORY:,} bytes")
    for segment in segments:
        for start in (segment.physical, segment.virtual):
            if start <= entry < start + len(segment.data):
                return tuple(segments), entry - start + segment.physical
    raise BadKernel(f"damaged: its entry {entry:#x} is in no segment")
