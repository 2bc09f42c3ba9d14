# SPDX-License-Identifier: GPL-2.0-only
"""The ACPI tables, read by a reader of their own and by iasl (ACPI specification 6.5, chapters 5 and 20)."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import pytest

from emu.cpu.pc.acpi import IO_APIC, LOCAL_APIC, SERIAL, tables
from tests.lib.needs import needs

BASE = 0xF_0000
HEADER = 36


class Reader:
    """The tables by their signatures, from the root pointer on."""

    def __init__(self, cpus: int) -> None:
        self.blob = tables(BASE, cpus)
        self.found: dict[str, bytes] = {}
        pointer = self.blob[:36]
        assert pointer[:8] == b"RSD PTR "
        assert pointer[15] == 2
        assert sum(pointer[:20]) & 0xFF == sum(pointer) & 0xFF == 0
        assert struct.unpack_from("<I", pointer, 20)[0] == 36
        xsdt = self.table(struct.unpack_from("<Q", pointer, 24)[0])
        assert xsdt[:4] == b"XSDT"
        for (place,) in struct.iter_unpack("<Q", xsdt[HEADER:]):
            self.table(place)
        fadt = self.found["FACP"]
        self.table(self.same(fadt, 40, 140))
        self.facs = self.at(self.same(fadt, 36, 132), 64)

    def at(self, place: int, size: int) -> bytes:
        assert BASE <= place <= BASE + len(self.blob) - size
        return self.blob[place - BASE : place - BASE + size]

    def table(self, place: int) -> bytes:
        """Reads a table at a physical address: its length and checksum."""
        assert place % 16 == 0
        signature, length = struct.unpack("<4sI", self.at(place, 8))
        table = self.at(place, length)
        assert sum(table) & 0xFF == 0, signature
        assert len(table) >= HEADER
        self.found[signature.decode()] = table
        return table

    @staticmethod
    def same(table: bytes, short: int, long: int) -> int:
        """An address with 32 bits, and with 64."""
        (low,), (high,) = struct.unpack_from("<I", table, short), struct.unpack_from("<Q", table, long)
        assert low == high
        return int(low)


def address(table: bytes, offset: int) -> tuple[int, int, int, int, int]:
    """A generic address (5.2.3.2): space, bits, first bit, access size, address."""
    return struct.unpack_from("<BBBBQ", table, offset)  # type: ignore[return-value]  # as many as the format says


@pytest.mark.parametrize("cpus", [1, 2, 16])
def test_all_tables_are_there_and_sound(cpus: int) -> None:
    assert set(Reader(cpus).found) == {"XSDT", "FACP", "APIC", "DSDT"}


def test_the_firmware_control_structure() -> None:
    """5.2.10: 64 bytes, aligned to 64, without a checksum."""
    reader = Reader(1)
    assert reader.facs[:8] == b"FACS" + struct.pack("<I", 64)
    assert Reader.same(reader.found["FACP"], 36, 132) % 64 == 0


def test_the_fixed_hardware() -> None:
    """5.2.9: power management blocks and the reset register, at the ports that the PC has (test_ports.py)."""
    fadt = Reader(1).found["FACP"]
    assert len(fadt) == 276
    assert (fadt[8], struct.unpack_from("<H", fadt, 46)[0]) == (6, 9)
    assert struct.unpack_from("<II", fadt, 56) == (0x600, 0)
    assert struct.unpack_from("<II", fadt, 64) == (0x604, 0)
    assert (fadt[88], fadt[89]) == (4, 2)
    assert address(fadt, 116) == (1, 8, 0, 1, 0x606)
    assert fadt[128] == 1
    assert address(fadt, 148) == (1, 32, 0, 3, 0x600)
    assert address(fadt, 172) == (1, 16, 0, 2, 0x604)
    (flags,) = struct.unpack_from("<I", fadt, 112)
    assert flags == 1 | 1 << 4 | 1 << 5 | 1 << 10 | 1 << 12  # wbinvd, no buttons, reset register, headless
    assert struct.unpack_from("<I", fadt, 48)[0] == 0  # no SMI command: the machine is in ACPI mode


@pytest.mark.parametrize("cpus", [1, 3, 16])
def test_the_interrupt_controllers(cpus: int) -> None:
    """5.2.12: each CPU's local APIC, one I/O APIC, ACPI's level-triggered interrupt, and the NMI pin of all CPUs."""
    madt = Reader(cpus).found["APIC"]
    assert struct.unpack_from("<II", madt, HEADER) == (LOCAL_APIC, 1)
    entries, at = [], HEADER + 8
    while at < len(madt):
        entries.append(madt[at : at + madt[at + 1]])
        assert madt[at + 1] >= 2
        at += madt[at + 1]
    assert at == len(madt)
    local = [struct.unpack("<BBBBI", entry) for entry in entries if entry[0] == 0]
    assert local == [(0, 8, n, n, 1) for n in range(cpus)]
    others = {entry[0]: entry for entry in entries if entry[0] != 0}
    assert struct.unpack("<BBBBII", others[1]) == (1, 12, cpus, 0, IO_APIC, 0)
    assert struct.unpack("<BBBBIH", others[2]) == (2, 10, 0, 9, 9, 0xD)
    assert struct.unpack("<BBBHB", others[4]) == (4, 6, 0xFF, 0, 1)
    assert len(entries) == cpus + 3


def packages(code: bytes, at: int) -> tuple[int, int]:
    """The package length at an offset (20.2.4): where the package ends, and where its content begins."""
    extra = code[at] >> 6
    if extra == 0:
        return at + (code[at] & 0x3F), at + 1
    length = code[at] & 0xF
    for n in range(extra):
        length |= code[at + 1 + n] << 4 + 8 * n
    return at + length, at + 1 + extra


def test_the_definitions() -> None:
    """20.2: _S5 with sleep type 5, and a scope with a device for each serial port, whose packages nest exactly."""
    code = Reader(1).found["DSDT"][HEADER:]
    assert code.startswith(b"\x08_S5_\x12")
    end, at = packages(code, 6)
    assert code[at:end] == bytes([4, 0x0A, 5, 0x0A, 5, 0, 0])
    assert code[end] == 0x10
    whole, at = packages(code, end + 1)
    assert whole == len(code)
    assert code[at : at + 5] == b"\\_SB_"
    at, ports = at + 5, []
    while at < whole:
        assert code[at : at + 2] == b"\x5b\x82"
        device, inside = packages(code, at + 2)
        resources = code.index(b"_CRS", inside)
        assert code[resources + 4] == 0x11
        last, content = packages(code, resources + 5)
        assert last == device
        size, data = code[content + 1], code[content + 2 : last]
        assert (code[content], size) == (0x0A, len(data))
        assert data[:2] == b"\x47\x01"
        low, high, align, length = struct.unpack_from("<HHBB", data, 2)
        assert (low, align, length) == (high, 1, 8)
        assert data[8] == 0x22
        assert data[11:] == b"\x79\x00"
        ports.append((low, struct.unpack_from("<H", data, 9)[0].bit_length() - 1))
        at = device
    assert ports == [tuple(port) for port in SERIAL]


@needs("iasl")
def test_iasl_reads_them(tmp_path: Path) -> None:
    """acpica's disassembler, and its compiler for what that prints."""
    for name, table in Reader(4).found.items():
        (tmp_path / f"{name}.dat").write_bytes(table)
        done = subprocess.run(["iasl", "-d", f"{name}.dat"], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert "Invalid" not in done.stdout + done.stderr
        text = (tmp_path / f"{name}.dsl").read_text()
        assert "Incorrect checksum" not in text
        assert "**** " not in text
    text = (tmp_path / "DSDT.dsl").read_text()
    for part in ("_S5", "Device (COM1)", "Device (COM2)", "PNP0501", "0x03F8", "0x02F8", "IRQNoFlags", "{4}", "{3}"):
        assert part in text, part
    done = subprocess.run(["iasl", "DSDT.dsl"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert " 0 Errors, 0 Warnings" in done.stdout
