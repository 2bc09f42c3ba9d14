# SPDX-License-Identifier: GPL-2.0-only
"""Finds the debug information of a kernel and of its modules: what `emu linux fetch --debug` has brought, what a package has
installed, or what is beside a kernel that was built here.

What was fetched is in the folder of its kernel:

    ~/.cache/emu/linux/kernels/6.12.118-cloud/debug/boot/vmlinux-6.12.118-cloud
    ~/.cache/emu/linux/kernels/6.12.118-cloud/debug/lib/modules/6.12.118-cloud/
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from emu.linux.image import Kernel

__all__ = ["debug_folder", "debug_modules", "debug_vmlinux"]

INSTALLED = Path("/usr/lib/debug")
_PREFIX = "vmlinuz-"
_NOTES = ".notes"  # which has the build's ID


def debug_folder(kernel: Path) -> Path:
    """Where the debug information of a kernel that was fetched is."""
    return kernel.parents[1] / "debug"


def debug_vmlinux(kernel: Kernel) -> Path | None:
    """The vmlinux with debug information of the same build; None: there is none."""
    notes = kernel.section(_NOTES)
    if notes is None:
        return None
    return next((path for path in _candidates(kernel.path) if path.is_file() and _notes(path) == bytes(notes)), None)


def debug_modules(kernel: Path) -> dict[str, Path]:
    """The files with debug information of a kernel's modules, by the modules' names."""
    version = kernel.name.removeprefix(_PREFIX)
    for folder in (debug_folder(kernel), INSTALLED):
        found = {path.stem.replace("-", "_"): path for path in (folder / "lib/modules" / version).rglob("*.ko")}
        if found:
            return found
    return {}


def _candidates(kernel: Path) -> Iterator[Path]:
    yield kernel
    if kernel.name.startswith(_PREFIX):
        name = f"vmlinux-{kernel.name.removeprefix(_PREFIX)}"
        yield debug_folder(kernel) / "boot" / name
        yield INSTALLED / "boot" / name
        yield INSTALLED / "lib/modules" / name.removeprefix("vmlinux-") / "vmlinux"
    yield from (folder / "vmlinux" for folder in kernel.resolve().parents[:4])  # of a bzImage in a tree of Linux


def _notes(path: Path) -> bytes | None:
    """The notes of an ELF file with debug information; None: it is no such file."""
    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            notes = elf.get_section_by_name(_NOTES) if elf.get_section_by_name(".debug_info") is not None else None
            return None if notes is None else notes.data()
    except (OSError, ELFError):
        return None
