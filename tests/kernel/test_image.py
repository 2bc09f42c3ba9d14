# SPDX-License-Identifier: GPL-2.0-only
"""Kernel images: other files are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from emu.machine import BadImage, Machine
from tests.lib.booted_machine import booted_machine


def test_an_image_that_cannot_be_booted_is_refused(arch: str, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("no image")
    with pytest.raises(BadImage, match="not an ELF image"):
        Machine(arch=arch, image=text)


def test_a_damaged_table_of_symbols_is_refused(arch: str, tmp_path: Path) -> None:
    with booted_machine(arch) as machine:
        whole = machine.kernel.image.path
    with whole.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".kallsyms")["sh_offset"]
    data = bytearray(whole.read_bytes())
    data[table : table + 8] = b"\x7f" * 8
    damaged = tmp_path / "vmlinux"
    damaged.write_bytes(data)
    with pytest.raises(BadImage, match="not an ELF image"):
        Machine(arch=arch, image=damaged)
