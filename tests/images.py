# SPDX-License-Identifier: GPL-2.0-only
"""Builds the guest's images from a copy of their sources elsewhere: the result must be the committed images.

    ./venv python -m tests.images        all of them, byte for byte: a part of `make soak`

The test suite does this with a part of each image.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from elftools.elf.elffile import ELFFile

from emu.architectures import ARCHITECTURES
from tests.lib.arches import FACTS

__all__ = ["IMAGES", "build", "copied", "functions", "others", "why_not"]

RISCV_CALLS = (18, 19)  # R_RISCV_CALL, R_RISCV_CALL_PLT: relocations of two words
IMAGES = Path(__file__).resolve().parent.parent / "firmware/images"


def why_not(arch: str) -> str | None:
    """What is missing here to build the images of an architecture; None: nothing."""
    gcc = shutil.which(FACTS[arch].compiler)
    version = subprocess.run([gcc, "--version"], capture_output=True, text=True).stdout if gcc else ""
    return None if shutil.which("make") and version.startswith(FACTS[arch].version) else f"make and {FACTS[arch].version}"


def copied(folder: Path) -> Path:
    """A copy of the firmware's sources in a folder."""
    ignored = shutil.ignore_patterns("build", "images")
    return Path(shutil.copytree(IMAGES.parent, folder / "firmware", ignore=ignored))


def build(firmware: Path, arch: str, *targets: str) -> None:
    """Makes all images of an architecture, or some targets.

    Raises:
        subprocess.CalledProcessError: make fails.
    """
    subprocess.run(["make", "-j2", "-C", firmware, f"ARCH={arch}", *targets], check=True, capture_output=True)


class Function(NamedTuple):
    """The code of a function, and the offsets of the words in it that the linker changes."""

    code: bytes
    words: list[int]


def functions(file: Path) -> dict[str, list[Function]]:
    """The functions of an object or of an image, by name. Several files may have a function of the same name."""
    found: dict[str, list[Function]] = defaultdict(list)
    with file.open("rb") as stream:
        elf = ELFFile(stream)
        pairs = RISCV_CALLS if elf["e_machine"] == "EM_RISCV" else ()
        places = {
            section["sh_info"]: [
                relocation["r_offset"] + further
                for relocation in section.iter_relocations()
                for further in ((0, 4) if relocation["r_info_type"] in pairs else (0,))
            ]
            for section in elf.iter_sections("SHT_RELA")
        }
        sections = [(section["sh_addr"], section.data()) for section in elf.iter_sections()]
        for symbol in elf.get_section_by_name(".symtab").iter_symbols():
            if symbol["st_info"]["type"] == "STT_FUNC" and symbol["st_shndx"] != "SHN_UNDEF":
                address, data = sections[symbol["st_shndx"]]
                start, size = symbol["st_value"] - address, symbol["st_size"]
                words = [at - start for at in places.get(symbol["st_shndx"], []) if start <= at < start + size]
                found[symbol.name].append(Function(data[start : start + size], words))
    return found


def others(objects: dict[str, list[Function]], image: dict[str, list[Function]]) -> list[str]:
    """The functions of objects with other code than those of that name in an image."""
    return [
        name
        for name, found in objects.items()
        for code, words in found
        if _without(words, code) not in [_without(words, linked.code) for linked in image[name]]
    ]


def _without(words: list[int], code: bytes) -> bytes:
    """Code with its 32-bit words at some offsets set to zero."""
    cleared = bytearray(code)
    for at in words:
        cleared[at : at + 4] = bytes(len(cleared[at : at + 4]))
    return bytes(cleared)


def main() -> int:
    different = 0
    for arch in ARCHITECTURES:
        if why := why_not(arch):
            print(f"{arch}: not built, needs {why}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            firmware = copied(Path(folder))
            build(firmware, arch)
            for name in sorted(path.name for path in (IMAGES / arch).iterdir() if path.name != "SOURCES"):
                same = (firmware / "images" / arch / name).read_bytes() == (IMAGES / arch / name).read_bytes()
                different += not same
                print(f"{arch}: {name} is {'the same' if same else 'ANOTHER'}", flush=True)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
